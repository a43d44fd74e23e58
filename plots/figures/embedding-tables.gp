# title: Embedding bags: one table after another, and batched, by tables
# finding: Embedding bags: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=embedding-bag, x=tables, by=mode+batch, only=bytes=256+lookups=100
# sets: measured kaist
# hint: abdb run --plan kaist-embedding --backend vec
