# title: Vectors by index: bandwidth by fraction accessed, {only}
# finding: Vectors by index: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=gather, x=fraction, by=bytes, only=operation=gather
# sets: measured kaist
# hint: abdb run --plan kaist-gather --backend vec; scatter: --only operation=scatter
