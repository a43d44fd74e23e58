# title: STREAM by threads, each with as many elements (weak scaling)
# finding: STREAM: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=stream, x=threads, by=operation, only=each
# sets: measured kaist
# hint: abdb run --plan kaist-stream --backend vec
