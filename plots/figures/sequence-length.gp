# title: Throughput by sequence length ({source})
# finding: Longer sequences bring {min of_base} to {max of_base} times the throughput of the shortest
# subtitle: Throughput, times that at the shortest of the same device and model; dotted: only its ends are stated
# report: sensitivity
# with: factor=sequence_length, source=argonne-llm
# needs: setting of_base>0
# series: _label 8
# size: 720,420
# room: 240,210
# sets: argonne training
# A line a device and model: throughput (or a stated speed-up) against the smallest setting, which is 1.
# Dotted: from the base of a stated speed-up, nothing between is known.
if (direct) { unset key }
set xlabel "sequence length, tokens"
set format x "%g"
set border 3
if (direct) { set tmargin at screen 1 - head_room - 6.0 / height }
set bmargin at screen foot_room + 46.0 / height
set lmargin at screen 40.0 / width
set rmargin at screen 1 - (direct ? 16 + 6.0 * series_name_widest : 22.0) / width
area_height = height * (1 - head_room - foot_room) - 52.0
min_setting = min_base < min_setting ? min_base : min_setting
stated(i) = strcol(c_metric) eq "speedup"
if (max_setting == 0) { max_setting = 1 }
if (wide(min_setting, max_setting)) { set logscale x 2; set xrange [0.85 * min_setting : max_setting]; set format x "%.0f" } else { set xrange [(min_setting < 0.05 * max_setting ? -0.04 * max_setting : 0.9 * min_setting) : max_setting] }
low = 0; high = 1.1 * (max_of_base > 1 ? max_of_base : 1)
if (wide(min_of_base, max_of_base)) { low = 0.7 * min_of_base; high = 1.4 * max_of_base; from = low; to = high; eval log_y } else { set yrange [low : high] }
place(y) = low > 0 ? (log10(y) - log10(low)) / (log10(high) - log10(low)) : (y - low) / (high - low)
array end_x[series]; array end_y[series]
do for [i=0:series-1] { end_x[i + 1] = -1; end_y[i + 1] = 1; stats $data index i using (column(c_setting) > end_x[i + 1] ? (end_y[i + 1] = column(c_of_base), end_x[i + 1] = column(c_setting), high) : high) nooutput }
if (direct) { eval label_ends }
plot 1 with lines lc rgb muted dt 2 notitle, \
     for [i=0:series-1] $data index i using (stated(0) ? column(c_base) : NaN):(1):(column(c_setting) - column(c_base)):(column(c_of_base) - 1) with vectors nohead lc rgb series_tint(i + 1) dt 3 lw 1.2 notitle, \
     for [i=0:series-1] '' index i using (column(c_setting)):(column(c_of_base)) with linespoints lt i + 1 dt 1 lc rgb series_tint(i + 1) title (direct ? "" : series_name[i + 1])
