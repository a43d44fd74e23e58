# title: Speed-up of {contender} over {baseline}: {metric} by {x} and {y}
# finding: Speed-up of {contender} over {baseline}: {min ratio} to {max ratio}
# subtitle: By {x} and {y}: {metric}
# report: speedup-map
# needs: x y ratio>0
# levels: x y
# size: 720,150
# grow: 30 y
# room: 60
# sets: measured kaist serving
# hint: two sets of results over the same two factors: abdb plot speedup-map --baseline TAG --contender TAG --x FACTOR --y FACTOR
# A cell a pair: above 1 the contender is better (blue), below 1 the base (orange); the number is printed.
names(i) = (across = strcol(c_x_factor), upwards = strcol(c_y_factor), 0)
stats $data using (names(0)) nooutput
set xlabel across
set ylabel upwards
set xrange [0.5 : levels_x + 0.5]
set yrange [0.5 : levels_y + 0.5]
set for [i=1:levels_x] xtics (tic_words(level_x[i]) i)
set for [i=1:levels_y] ytics (tic_words(level_y[i]) i)
unset grid
unset key
set tmargin at screen 1 - head_room - 8.0 / height
set lmargin at screen (60 + name_px * level_y_widest) / width
set rmargin at screen 1 - 125.0 / width
far = max_ratio > 1 / min_ratio ? max_ratio : 1 / min_ratio
far = far < 1.1 ? 1.1 : far
set cbrange [-log(far) : log(far)]
set cblabel "contender / baseline" offset -1,0
set cbtics (sprintf("%.2f", 1 / far) -log(far), "1" 0, sprintf("%.2f", far) log(far))
set palette defined (-1 "#a84300", 0 "#f7f7f7", 1 "#0a5a94")
plot $data using (column(c_x_level)):(column(c_y_level)):(column(c_x_level) - 0.5):(column(c_x_level) + 0.5):(column(c_y_level) - 0.5):(column(c_y_level) + 0.5):(log(column(c_ratio))) \
     with boxxyerror fillstyle solid 1 noborder fillcolor palette notitle, \
     '' using (column(c_x_level)):(column(c_y_level)):(sprintf("%.2f", column(c_ratio))):(abs(log(column(c_ratio))) > 0.55 * log(far) ? 0xffffff : 0x222222) with labels font ",10" textcolor rgb variable notitle
