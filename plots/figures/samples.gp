# title: Every sample of what was measured {kernel} {tag}
# report: samples
# needs: ms>0
# levels: label
# size: 720,130
# grow: 44 label
# room: 220
# sets: measured
# hint: abdb run --plan quick --quick
# A strip a cell, every sample a dot, spread by its place in the run; bar: the median, with its 95 %
# interval where there are samples enough; crosses: marked as outliers (they count).
set xlabel "time of one launch / median of the cell"
set for [i=1:levels_label] ytics (tic_words(level_label[i]) i)
set ytics scale 0
set grid xtics
set lmargin at screen (14 + name_px * level_label_widest) / width
key_entries = 3; key_widest = 22; eval lay_key
low = 1; high = 1
least(x) = (low = x < low ? x : low, high = x > high ? x : high, 0)
stats $data using (least(column(c_ms) / column(c_median_ms))) nooutput
set yrange [levels_label + 0.6 : 0.4] noreverse
if (high > 4) { set logscale x }
set xrange [low - 0.03 * (high - low) : high + 0.05 * (high - low)]
spread(i) = column(c_label_level) - 0.25 + 0.5 * (int(column(c_seq)) % 97) / 97.0
odd(i) = !none(strcol(c_mark))
plot $data using (odd(0) ? NaN : column(c_ms) / column(c_median_ms)):(spread(0)) with points pt 7 ps 0.25 lc rgb colour[1] title "samples", \
     '' using (odd(0) ? column(c_ms) / column(c_median_ms) : NaN):(spread(0)) with points pt 2 ps 0.4 lc rgb colour[4] title "marked as outliers", \
     '' using (column(c_seq) == 0 ? 1 : NaN):(column(c_label_level)):(column(c_low_ms) / column(c_median_ms)):(column(c_high_ms) / column(c_median_ms)):(column(c_label_level) - 0.33):(column(c_label_level) + 0.33) with xyerrorbars dt 1 lw 2 ps 0 lc rgb ink title "median, 95 % interval"
