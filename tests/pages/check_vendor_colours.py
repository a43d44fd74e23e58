#!/usr/bin/env python3
"""check_vendor_colours.py STYLE - how far apart are the colours that a style gives to vendors, and to others, on light and on dark ground, to those
who see all colours, and to the colour-blind (protanopia, deuteranopia and tritanopia; Machado, Oliveira and Fernandes 2009, severity 1)? The distance
is that of CIE 1976 in Lab. Prints the pairs below 12; exit 1 if there is one.
"""
import itertools
import math
import re
import sys

SIGHT = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
LEAST = 12


def lab(rgb):
    """Of linear RGB."""
    x, y, z = (sum(w * c for w, c in zip(row, rgb)) / white for row, white in (
        ((0.4124, 0.3576, 0.1805), 0.95047), ((0.2126, 0.7152, 0.0722), 1), ((0.0193, 0.1192, 0.9505), 1.08883)))
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour, matrix):
    parts = [int(colour[at:at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return lab([min(1, max(0, sum(w * c for w, c in zip(row, linear)))) for row in matrix])


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    colours = re.findall(r'v eq "(\w+)" \? \(dark \? "#(\w{6})" : "#(\w{6})"\)', text)
    colours += [("others", *re.search(r'^muted = dark \? "#(\w{6})" : "#(\w{6})"', text, re.M).groups())]
    found = pairs = 0
    for ground, at in (("dark", 1), ("light", 2)):
        for (a, b), (sight, matrix) in itertools.product(itertools.combinations(colours, 2), SIGHT.items()):
            apart = math.dist(seen(a[at], matrix), seen(b[at], matrix))
            pairs += 1
            if apart < LEAST:
                found += 1
                print(f"{ground}, {sight}: {a[0]} and {b[0]} are {apart:.1f} apart")
    print(f"{len(colours)} colours, {pairs} pairs, {found} too near")
    return found > 0 or len(colours) < 7


sys.exit(main())
