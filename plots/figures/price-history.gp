# title: What {device} cost, {kind}, and when
# finding: {_of}, {kind}, was offered at {min per_device_hour} to {max per_device_hour} USD per device and hour
# subtitle: Instances of 8, by the day the price was read; dashed: stated at some day from here on, the source has no date
# report: price-history
# with: devices=8, currency=USD
# needs: per_device_hour>0
# series: provider 11
# size: 720,420
# sets: price
# hint: import prices with their dates, or choose another size: --devices 1
# A point a price on the day it was read; a dashed line goes back to the earliest day on which it may have been stated. No line
# joins two prices: what a provider asked between them is not known.
year(text) = 1970 + strptime("%Y-%m-%d", strlen(text) >= 10 ? text : substr(text . "-01-01", 1, 10)) / (365.2425 * 86400)
read_on(n) = year(strcol(c_last_day))
stated(n) = none(strcol(c_first_day)) ? read_on(0) : year(strcol(c_first_day))
eval lay_lines
set lmargin at screen 64.0 / width
stats $data using (none(strcol(c_last_day)) ? NaN : stated(0)) name "first" nooutput
stats $data using (none(strcol(c_last_day)) ? NaN : read_on(0)) name "last" nooutput
if (!exists("first_min")) { first_min = 2000; last_max = 2001 }
from = 0.8 * min_per_device_hour; to = 1.25 * max_per_device_hour
eval log_y
set xrange [floor(first_min) : ceil(last_max)]
set xtics 1 format "%.0f"
set ylabel "USD per device and hour, log"
low = from; high = to; place(y) = (log10(y) - log10(low)) / (log10(high) - log10(low))
area_height = height * (1 - head_room - foot_room) - 56.0
array end_x[series]; array end_y[series]
do for [i=1:series] { end_x[i] = 0; end_y[i] = low; stats $data index i - 1 using (read_on(0) > end_x[i] ? (end_y[i] = column(c_per_device_hour), end_x[i] = read_on(0), high) : high) nooutput }
do for [i=1:series] { end_x[i] = last_max }
if (direct) { eval label_ends }
plot for [i=0:series-1] $data index i using (stated(0)):(column(c_per_device_hour)):(read_on(0) - stated(0)):(0) with vectors nohead dt 2 lw 1.2 lc rgb series_tint(i + 1) notitle, \
     for [i=0:series-1] '' index i using (read_on(0)):(column(c_per_device_hour)) with points lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
