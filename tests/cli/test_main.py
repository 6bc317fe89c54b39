"""The command itself: help, exit codes, one line and a suggestion for what it does not know."""

from __future__ import annotations

import subprocess
import sys

import pytest

from srcgrad.cli import COMMANDS, main

QUADRATIC = "samples/tutorial.py:quadratic"


def failed(capsys, argv):
    code = main(argv)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1, printed.err
    return code, printed.err


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["help"]])
def test_help(capsys, argv):
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(
        "Derivatives of plain NumPy functions, as Python you can read.\n\nusage: srcgrad COMMAND"
    )
    for command in COMMANDS:
        assert f"\n  {command} " in printed
    assert "write" not in printed


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_a_command_has_an_example(capsys, command, option):
    assert main([command, option]) == 0
    assert f"example:\n  srcgrad {command} " in capsys.readouterr().out


def test_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("srcgrad 0.")


@pytest.mark.parametrize(
    "argv, said",
    [
        (["shwo"], "there is no command shwo. Did you mean 'show'?"),
        (["write", "x"], "there is no command write"),
        (["--hepl"], "there is no option --hepl. Did you mean '--help'?"),
        (
            ["show", QUADRATIC, "--wrtt", "x"],
            "has no option --wrtt. Did you mean '--wrt'?",
        ),
        (
            ["show", QUADRATIC, "--mode", "revrse"],
            "--mode has no 'revrse'. Did you mean 'reverse'?",
        ),
        (["show", "a", "b"], "srcgrad show does not know what to do with b"),
        (["show"], "srcgrad show needs a TARGET"),
        (["show", "samples/tutorial.py:quadrtic"], "Did you mean 'quadratic'?"),
        (["show", "samples/tutoril.py:quadratic"], "there is no file samples/tutoril.py"),
        (["show", "samples/tutorial.py:2"], "no function holds line 2"),
        (["show", QUADRATIC, "--stage", "nonsense"], "there is no pass nonsense"),
        (
            ["show", QUADRATIC, "--at", "y=1"],
            "quadratic has no parameter 'y': it has x",
        ),
        (
            ["show", QUADRATIC, "--at", "x=np.oness(2)"],
            "--at: x=np.oness(2) raises AttributeError",
        ),
        (["show", QUADRATIC, "--at", "3"], "--at takes the keywords of a call"),
        (["show", QUADRATIC, "--at", "x=("], "is not the keywords of a call"),
        (
            ["show", QUADRATIC, "--wrt", "y", "--at", "x=np.ones(2)"],
            "has no parameter 'y'",
        ),
        (["check", QUADRATIC], 'quadratic needs a value for x: --at "x=..."'),
        (["check", "samples/tutorial.py", "--at", "x=1"], "--at and --against belong to one function"),
        (["explain", "no-ruel"], "there is no refusal 'no-ruel'. Did you mean 'no-rule'?"),
        (["rules", "np.snh"], "nothing is known of np.snh. Did you mean 'np."),
    ],
)
def test_could_not_start(capsys, argv, said):
    code, line = failed(capsys, argv)
    assert code == 2
    assert line.startswith("srcgrad: ")
    assert said in line


def test_a_refusal_is_the_block_alone(capsys, tmp_path):
    file = tmp_path / "model.py"
    file.write_text("import numpy as np\n\ndef f(x):\n    y = 2 * x\n    return np.sum(np.partition(y, 2))\n")
    assert main(["show", f"{file}:f", "--at", "x=np.ones(4)"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert lines[0] == "numpy.partition has no derivative rule  [no-rule]"
    assert lines[1].endswith("model.py:5:19 in f")
    assert "Traceback" not in printed.err


def test_as_a_program_and_as_a_module():
    for command in (["-m", "srcgrad"], ["-c", "import sys; from srcgrad.cli import main; sys.exit(main())"]):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
        assert done.returncode == 0
        assert "usage: srcgrad COMMAND" in done.stdout
