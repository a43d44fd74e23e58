# title: Time per output token by number of users {model}
# finding: A token after the first takes {min tpot_ms} to {max tpot_ms} ms, by the number of users
# subtitle: Time per output token of a user, by requests at the same time
# report: serving-load
# needs: users>0 tpot_ms>0
# series: _label 8
# size: 720,420
# room: 150,235
# sets: serving databricks
# hint: import what a serving benchmark wrote (abdb help vllm-serving-json)
# A line a configuration, a point a load.
set xlabel "users (concurrent requests)"
set ylabel "time per output token, ms"
set logscale x 2
eval lay_lines
set xrange [0.85 * min_users : 1.18 * max_users]
if (wide(min_tpot_ms, max_tpot_ms)) { from = 0.7 * min_tpot_ms; to = 1.4 * max_tpot_ms; low = from; high = to; eval log_y } else { low = 0; high = 1.1 * max_tpot_ms; set yrange [low : high] }
across = c_users; up = c_tpot_ms; eval name_lines
plot for [i=0:series-1] $data index i using (column(c_users)):(column(c_tpot_ms)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
