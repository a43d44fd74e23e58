# title: STREAM by unrolling
# finding: STREAM: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=stream, x=unroll, by=operation, metric=gop_per_s
# sets: measured kaist
# hint: abdb run --plan kaist-stream --backend vec
