# title: STREAM by threads, each with as many elements (weak scaling)
# like: sweep
# with: kernel=stream, x=threads, by=operation, only=each
# sets: measured kaist
# hint: abdb run --plan kaist-stream --backend vec
