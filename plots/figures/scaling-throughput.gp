# title: Training throughput by number of devices, log axes ({source})
# finding: Training keeps {min percent} % or more of the ideal throughput
# subtitle: {unit} in total; dashed: the rate at the fewest devices, multiplied (above it: superlinear)
# report: scaling-throughput
# with: source=llm-foundry
# needs: devices>0 rate>0
# least: 2
# hint: import a table of training runs, as LLM Foundry publishes it (abdb help table)
# series: _label 8
# size: 720,420
# room: 120,210
# sets: foundry training
# Total rate by devices on log axes; dashed: the rate at the fewest devices, multiplied.
unit = ""
stats $data using (unit = strcol(c_unit), 0) nooutput
set logscale x 2
eval lay_lines
set xlabel "devices"
set ylabel unit . ", in total"
set xrange [0.8 * min_devices : 1.5 * max_devices]
from = 0.7 * min_rate; to = 1.5 * (max_ideal > max_rate ? max_ideal : max_rate); low = from; high = to; eval log_y
across = c_devices; up = c_rate; eval name_lines
plot for [i=0:series-1] $data index i using (column(c_devices)):(column(c_ideal)) with lines lc rgb muted dt 2 lw 1 title (i == 0 ? "ideal" : ""), \
     for [i=0:series-1] '' index i using (column(c_devices)):(column(c_rate)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1], \
     for [i=0:series-1] '' index i using (column(c_devices)):(column(c_rate)):(column(c_percent) < 99.99 && rows < 9 ? sprintf("%.1f %%", column(c_percent)) : "") with labels left offset 0.5,-0.8 font ",8" textcolor rgb muted notitle
