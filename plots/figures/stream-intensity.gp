# title: Throughput by operational intensity: multiply-adds for each element
# finding: STREAM: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=stream, x=fmas, by=backend, metric=gop_per_s
# sets: measured kaist
# hint: abdb run --plan kaist-stream --backend vec
