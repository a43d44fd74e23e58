# title: Throughput against price per device, with the Pareto front: {model} {scenario}
# finding: {leader} gives the most {model} {scenario} {_units} for a dollar; {second} is {gap} behind
# finding: {tied} give the most {model} {scenario} {_units} for a dollar
# subtitle: {unit} per device† against price, {_prices}; filled: no device is both cheaper and faster
# ranks: per_usd device
# report: price-performance
# sets: mlperf price
# needs: usd_per_device_hour>0 rate_per_device>0
# least: 2
# size: 720,430
# room: 380,210
# narrow: 240
# hint: give prices by --price 'B200-SXM=4 USD/h,H200-SXM=2.5 USD/h', or import some
# A point a device: the lowest price known against the best rate. Filled ones are the front: nothing is both cheaper and faster.
unset key
unit = ""
stats $data using (unit = strcol(c_unit), 0) nooutput
set xlabel (narrow ? "USD per device and hour" : "USD per device and hour, the lowest price of whole nodes") . (wide(min_usd_per_device_hour, max_usd_per_device_hour) ? ", log" : "")
set ylabel (unit eq "token/s" ? "tokens/s" : unit) . " per device" . (wide(min_rate_per_device, max_rate_per_device) ? ", log" : "")
set format y si(max_rate_per_device)
low = 0; high = 1.12 * max_rate_per_device
if (wide(min_rate_per_device, max_rate_per_device)) { low = 0.5 * min_rate_per_device; high = 1.35 * max_rate_per_device; from = low; to = high; eval log_y; set format y si(high) } else { set yrange [low : high] }
left = 0; right = 1.12 * max_usd_per_device_hour
if (wide(min_usd_per_device_hour, max_usd_per_device_hour)) { left = 0.75 * min_usd_per_device_hour; right = 1.5 * max_usd_per_device_hour; from = left; to = right; eval log_x } else { set xrange [left : right] }
set border 3
set tmargin at screen 1 - head_room - 6.0 / height
set bmargin at screen foot_room + 48.0 / height
set lmargin at screen 72.0 / width
area_width = width - 90.0; area_height = height * (1 - head_room - foot_room) - 54.0
across(x) = left > 0 ? (log10(x) - log10(left)) / (log10(right) - log10(left)) : x / right
up(y) = low > 0 ? (log10(y) - log10(low)) / (log10(high) - log10(low)) : y / high
points = rows
array point_x[points]; array point_y[points]; array point_name[points]; array point_lit[points]; array point_steps[points]
stats $data using (point_x[int($0) + 1] = area_width * across(column(c_usd_per_device_hour)), point_y[int($0) + 1] = area_height * up(column(c_rate_per_device)), point_name[int($0) + 1] = strcol(c_device), point_lit[int($0) + 1] = column(c_lit), point_steps[int($0) + 1] = column(c_front), high) nooutput
eval label_points
front(i) = column(c_front) == 1
plot $data using (front(0) ? column(c_usd_per_device_hour) : NaN):(column(c_rate_per_device)):(tint(colour[4])) with points pt 7 ps 1.2 lc rgb variable notitle, \
     '' using (front(0) ? NaN : column(c_usd_per_device_hour)):(column(c_rate_per_device)):(tint(colour[1])) with points pt 6 ps 1.1 lw 1.5 lc rgb variable notitle
