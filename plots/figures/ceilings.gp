# title: Bandwidth by cache level {device}
# finding: {device}: caches and memory read and write {min gb_per_s} to {max gb_per_s} GB/s
# subtitle: Bandwidth by cache level
# report: ceilings
# needs: gb_per_s>0
# series: what 8
# levels: level
# size: 720,430
# room: 110,210
# sets: measured
# hint: abdb run --plan ceilings --quick
# A line an operation (nt: stores past the caches), a point a level; the best that was measured.
eval lay_lines
set xrange [0.7 : levels_level + 0.3]
set for [i=1:levels_level] xtics (tic_words(level_level[i]) i)
set xlabel "where the operands are"
set ylabel "GB/s, all threads"
from = 0.6 * min_gb_per_s; to = 1.6 * max_gb_per_s; low = from; high = to; eval log_y
across = c_level_level; up = c_gb_per_s; eval name_lines
plot for [i=0:series-1] $data index i using (column(c_level_level)):(column(c_gb_per_s)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
