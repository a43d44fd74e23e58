# title: Attention by sequence length: flash and plain
# finding: Attention: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=attention, x=sequence, by=algorithm+d+dtype, metric=gop_per_s, only=algorithm
# sets: measured
# hint: abdb run --plan attention --backend vec
