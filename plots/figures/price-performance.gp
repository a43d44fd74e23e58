# title: Throughput against price per device, with the Pareto front: {model} {scenario}
# report: price-performance
# needs: usd_per_device_hour rate_per_device
# least: 2
# size: 720,440
# sets: mlperf price
# hint: give prices by --price 'B200-SXM=4 USD/h,H200-SXM=2.5 USD/h', or import some
# A point a device: the lowest price known against the best rate. Filled and joined: nothing is both
# cheaper and faster. Names stand on the right, in the order of the rates.
unit = ""
stats $data using (unit = strcol(c_unit), 0) nooutput
set xlabel "USD per device and hour"
set ylabel unit . " per device† (derived)"
set format y si(max_rate_per_device)
low = 0.8 * min_rate_per_device; high = 1.1 * max_rate_per_device
if (!wide(min_rate_per_device, max_rate_per_device)) { low = 0 } else { set logscale y; low = 0.6 * min_rate_per_device; high = 1.3 * max_rate_per_device }
set yrange [low : high]
left = wide(min_usd_per_device_hour, max_usd_per_device_hour) ? 0.8 * min_usd_per_device_hour : 0
right = 1.05 * max_usd_per_device_hour
if (left > 0) { set logscale x; right = 1.15 * max_usd_per_device_hour }
set xrange [left : right]
set rmargin at screen 1 - (60 + 6.6 * (widest_device + 3)) / width
# Names at the right, apart from one another by a line at least: from the top down.
place(y) = low > 0 ? (log10(y) - log10(low)) / (log10(high) - log10(low)) : (y - low) / (high - low)
step = 15.0 / (height * (1 - head_room - foot_room - 70.0 / height))
array at[rows]; array name[rows]; array value[rows]; array price[rows]; array hour[rows]
stats $data using (value[int($0) + 1] = column(c_rate_per_device), name[int($0) + 1] = strcol(c_device), hour[int($0) + 1] = column(c_usd_per_device_hour), high) nooutput
array taken[rows]
do for [i=1:rows] { taken[i] = 0 }
last = 1.0 + step
do for [k=1:rows] {
    top = 0
    do for [i=1:rows] { if (!taken[i] && (top == 0 || value[i] > value[top])) { top = i } }
    taken[top] = 1
    spot = place(value[top]) < last - step ? place(value[top]) : last - step
    room = (rows - k) * step
    last = spot < room ? room : spot
    set label 100 + k name[top] at graph 1.05, graph last left textcolor rgb ink font ",9" noenhanced
    set arrow 100 + k from hour[top], value[top] to graph 1.04, graph last nohead lc rgb faint lw 0.8 back
}
plot $data using (column(c_front) == 1 ? column(c_usd_per_device_hour) : 1/0):(column(c_rate_per_device)) with lines lw 1.5 lc rgb colour[4] notitle, \
     '' using (column(c_front) == 1 ? column(c_usd_per_device_hour) : NaN):(column(c_rate_per_device)) with points pt 7 ps 1.1 lc rgb colour[4] title "on the Pareto front", \
     '' using (column(c_front) == 0 ? column(c_usd_per_device_hour) : NaN):(column(c_rate_per_device)) with points pt 6 ps 1.1 lw 1.5 lc rgb colour[1] title "something is cheaper and faster"
