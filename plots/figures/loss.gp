# title: Loss of training runs {tag}
# finding: Loss falls to {min loss} nat a token
# report: loss
# needs: step loss
# series: _label 8
# size: 720,430
# room: 110,210
# sets: measured
# hint: abdb run --kernel gpt-train --axis model=tiny --axis steps=50
# A line a cell; dashed: the entropy of the source of tokens, below which no model can stay.
eval lay_lines
set xlabel "updates"
set ylabel "nats a token"
if (max_step > 20) { from = 0.9; to = 1.1 * max_step; eval log_x } else { set xrange [0 : max_step + 1] }
low = 0; high = max_loss > 0 ? 1.08 * max_loss : 1; set yrange [low : high]
across = c_step; up = c_loss; eval name_lines
plot for [i=0:series-1] $data index i using (column(c_step)):(column(c_floor)) with lines dt 2 lc rgb muted notitle, \
     for [i=0:series-1] $data index i using (column(c_step)):(column(c_loss)) with linespoints lt i + 1 lc rgb series_tint(i + 1) title series_name[i + 1]
