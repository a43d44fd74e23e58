# title: STREAM by the bytes that lie together (grain)
# finding: STREAM: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=stream, x=grain, by=operation
# sets: measured kaist
# hint: abdb run --plan kaist-stream --backend vec
