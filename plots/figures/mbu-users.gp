# title: Memory bandwidth utilisation (MBU) by number of users {model}
# finding: {min mbu_percent} to {max mbu_percent} % of the memory bandwidth is used, by the number of users
# report: serving-load
# needs: users>0 mbu_percent>0
# series: _label 8
# size: 720,420
# room: 150,330
# sets: serving databricks
# hint: it needs the device, their number, the number format and a model that the dictionary knows: abdb import FILE --set device=... --set devices=... --set dtype=...
# A line a configuration, a point a load.
set xlabel "users (concurrent requests)"
set ylabel "MBU, % of the published bandwidth (derived)"
set logscale x 2
eval lay_lines
set xrange [0.85 * min_users : 1.18 * max_users]
if (wide(min_mbu_percent, max_mbu_percent)) { from = 0.7 * min_mbu_percent; to = 1.4 * max_mbu_percent; low = from; high = to; eval log_y } else { low = 0; high = 1.1 * max_mbu_percent; set yrange [low : high] }
across = c_users; up = c_mbu_percent; eval name_lines
plot for [i=0:series-1] $data index i using (column(c_users)):(column(c_mbu_percent)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
