"""The pages below docs/ say what is true: refusals.md is written from the table of slugs, semantics.md is run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from srcgrad.explain import SLUGS

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "refusals.md"

# A test that rewrites what it compares: SRCGRAD_WRITE_DOCS=1 python -m pytest tests/test_docs.py
WRITE = bool(os.environ.get("SRCGRAD_WRITE_DOCS"))

HEAD = """\
# What is refused, and how to get on

Every refusal is a `srcgrad.SrcgradError`. Its first line says what and where and ends in a word in brackets, its slug;
`srcgrad explain SLUG` prints the paragraph below.

"""


def refusals():
    parts = [f"## {slug}: {entry.title}\n\n{entry.text}\n" for slug, entry in SLUGS.items()]
    return HEAD + "\n".join(parts)


def test_refusals_are_those_of_the_table():
    if WRITE:
        PAGE.write_text(refusals())
    assert PAGE.read_text() == refusals(), "run SRCGRAD_WRITE_DOCS=1 python -m pytest tests/test_docs.py"


@pytest.mark.parametrize("page", ["README.md", "docs/semantics.md", "docs/refusals.md"])
def test_links_lead_somewhere(page):
    file = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)\)", file.read_text()):
        if "://" not in target:
            assert (file.parent / target).exists(), target
