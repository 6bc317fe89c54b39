"""`srcgrad explain`: what a refusal means, and how to get on."""

from __future__ import annotations

import textwrap

from srcgrad.cli.options import CannotStart, Parser, did_you_mean
from srcgrad.explain import SLUGS


def run(arguments: list[str]) -> int:
    parser = Parser("explain", "Tells what a refusal means, and how to get on.", "srcgrad explain non-scalar")
    parser.add_argument(
        "slug", nargs="?", metavar="SLUG", help="the word in brackets in a message; default: list all"
    )
    options = parser.parse(arguments)
    if options is None:
        return 0
    if options.slug is None:
        width = max(map(len, SLUGS))
        for name, slug in SLUGS.items():
            print(f"{name:<{width}}  {slug.title}")
        return 0
    name = options.slug.strip("[]")
    if name not in SLUGS:
        raise CannotStart(
            f"there is no refusal {options.slug!r}{did_you_mean(name, SLUGS) or ': srcgrad explain lists them all'}"
        )
    print(f"{name}: {SLUGS[name].title}\n")
    print(textwrap.fill(SLUGS[name].text, 88))
    return 0
