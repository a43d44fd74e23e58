# title: {kernel}: {metric} by {x}
# finding: {kernel}: {min value} to {max value} {unit} by {x_factor}
# subtitle: Lines by {by_factor}
# report: sweep
# needs: x value>0
# series: series 10
# levels: x
# size: 720,430
# room: 130,210
# sets: measured
# hint: abdb run --list shows the plans; then abdb plot sweep --kernel NAME --x FACTOR --by FACTOR
# A line a series, a point a cell: the median of its repetitions, bars where there are several.
factor = ""; unit = ""
stats $data using (factor = strcol(c_x_factor), unit = strcol(c_unit), 0) nooutput
eval lay_lines
set xlabel factor
set ylabel unit
if (min_x > 0 && max_x > 4 * min_x) { from = 0.95 * min_x; to = 1.05 * max_x; eval log_x } else { margin = max_x > min_x ? 0.05 * (max_x - min_x) : max_x != 0 ? 0.05 * abs(max_x) : 1; set xrange [min_x - margin : max_x + margin] }
# real("1e-05") is none: where a tick stands is taken of the rows.
array place_of[levels_x]
stats $data using (place_of[int(column(c_x_level))] = column(c_x), 0) nooutput
if (levels_x <= 14) { set xtics (); set for [i=1:levels_x] xtics add (level_x[i] place_of[i]) }
if (wide(min_value, max_value)) { from = 0.6 * min_value; to = 1.7 * max_value; low = from; high = to; eval log_y } else { low = 0; high = 1.12 * max_value; set yrange [low : high] }
across = c_x; up = c_value; eval name_lines
# The bars first: gnuplot clears the ground below each of them, marks too.
plot for [i=0:series-1] $data index i using (column(c_x)):(column(c_value)):(column(c_least)):(column(c_n) > 1 ? column(c_most) : NaN) with yerrorbars lt i + 1 ps 0 notitle, \
     for [i=0:series-1] $data index i using (column(c_x)):(column(c_value)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
