# title: Throughput by weight sparsity ({source})
# finding: Sparser weights bring up to {max of_base} times the throughput of the densest
# subtitle: Throughput, times that at the smallest setting; dotted: only its ends are stated
# report: sensitivity
# with: factor=sparsity, source=argonne-llm
# needs: setting of_base>0
# series: _label 8
# size: 720,420
# room: 180,210
# sets: argonne training
# A line a device and model: throughput (or a stated speed-up) against the smallest setting, which is 1.
# Dotted: from the base of a stated speed-up, nothing between is known.
set xlabel "weight sparsity, fraction of zeros"
eval lay_lines
set lmargin at screen 40.0 / width
set format x "%g"
min_setting = min_base < min_setting ? min_base : min_setting
stated(i) = strcol(c_metric) eq "speedup"
if (max_setting == 0) { max_setting = 1 }
if (wide(min_setting, max_setting)) { set logscale x 2; set xrange [0.85 * min_setting : 1.18 * max_setting]; set format x "%.0f" } else { set xrange [(min_setting < 0.05 * max_setting ? -0.04 * max_setting : 0.9 * min_setting) : 1.05 * max_setting] }
if (wide(min_of_base, max_of_base)) { from = 0.7 * min_of_base; to = 1.4 * max_of_base; low = from; high = to; eval log_y } else { low = 0; high = 1.1 * (max_of_base > 1 ? max_of_base : 1); set yrange [low : high] }
across = c_setting; up = c_of_base; eval name_lines
plot 1 with lines lc rgb muted dt 2 notitle, \
     for [i=0:series-1] $data index i using (stated(0) ? column(c_base) : NaN):(1):(column(c_setting) - column(c_base)):(column(c_of_base) - 1) with vectors nohead lc rgb series_tint(i + 1) dt 3 lw 1.2 notitle, \
     for [i=0:series-1] '' index i using (column(c_setting)):(column(c_of_base)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
