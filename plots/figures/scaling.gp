# title: Scaling against the ideal ({source})
# finding: {model} scales with {min recomputed_percent} to {max recomputed_percent} % of the ideal speed-up
# subtitle: Speed-up over the base, as {source} states; behind the name devices, from the base, and part of the ideal
# report: scaling
# with: source=argonne-llm
# needs: base_devices devices speedup recomputed_percent
# size: 720,430
# room: 290,215
# sets: argonne training
# A point a device: how many times the devices of the base, how many times its speed. The line is the
# ideal; behind the names the devices and the efficiency. What lies above the line is superlinear.
unset key
most = 1
stats $data using (most = column(c_devices) / column(c_base_devices) > most ? column(c_devices) / column(c_base_devices) : most, 1) nooutput
right = 2.6 * most; high = 1.7 * most; low = 1.0
stats $data using (low = column(c_speedup) < low ? column(c_speedup) : low, 1) nooutput
low = 0.9 * low
set logscale xy 2
set xrange [0.9 : right]
set yrange [low : high]
set format x "%.0f x"; set format y "%.0f x"
set xlabel "devices, times those of the base"
set border 3
set tmargin at screen 1 - head_room - 6.0 / height
set bmargin at screen foot_room + 48.0 / height
set lmargin at screen 52.0 / width
area_width = width - 70.0; area_height = height * (1 - head_room - foot_room) - 54.0
points = rows
array point_x[points]; array point_y[points]; array point_name[points]; array point_lit[points]; array point_steps[points]
times(i) = column(c_devices) / column(c_base_devices)
text(i) = sprintf("%s, %d to %d: %.0f %%", strcol(c_device), column(c_base_devices), column(c_devices), column(c_recomputed_percent))
stats $data using (point_x[int($0) + 1] = area_width * log(times(0) / 0.9) / log(right / 0.9), point_y[int($0) + 1] = area_height * log(column(c_speedup) / low) / log(high / low), point_name[int($0) + 1] = text(0), point_lit[int($0) + 1] = column(c_lit), point_steps[int($0) + 1] = 2, 1) nooutput
eval label_points
set label 500 "ideal" at 1.1 * 2 ** 2, 1.25 * 2 ** 2 right font ",10" textcolor rgb muted
plot x with lines lc rgb muted dt 2 notitle, \
     $data using (times(0)):(column(c_speedup)):(tint(colour[1])) with points pt 7 ps 1.2 lc rgb variable notitle
