# style.gp - one look for all figures. Colours by Okabe and Ito, apart for the colour-blind; each has a
# mark and a dash of its own, so that grey print and a terminal keep them apart too.
ink   = dark ? "#e6e6e6" : "#222222"
muted = dark ? "#9aa0a6" : "#666666"
faint = dark ? "#3a3f46" : "#dddddd"
array colour[8]
colour[1] = dark ? "#56b4e9" : "#0072b2"
colour[2] = "#e69f00"
colour[3] = dark ? "#2bc79b" : "#009e73"
colour[4] = dark ? "#f07f3c" : "#d55e00"
colour[5] = dark ? "#e29fc8" : "#cc79a7"
colour[6] = dark ? "#0091e0" : "#56b4e9"
colour[7] = dark ? "#f0e442" : "#8a7f00"
colour[8] = dark ? "#c8c8c8" : "#444444"
array mark[8]
mark[1] = 7; mark[2] = 5; mark[3] = 9; mark[4] = 13; mark[5] = 11; mark[6] = 6; mark[7] = 4; mark[8] = 8
array dash[8]
dash[1] = 1; dash[2] = 2; dash[3] = 4; dash[4] = 3; dash[5] = 5; dash[6] = 1; dash[7] = 2; dash[8] = 4
do for [i=1:8] { set linetype i lc rgb colour[i] lw 1.8 dt dash[i] pt mark[i] ps 0.8 }
set linetype cycle 8
terminal = picture eq "dumb"
set border 3 lc rgb ink lw 1
set tics nomirror textcolor rgb ink scale 0.5 font ",11"
set xlabel textcolor rgb ink offset 0,0.5
set ylabel textcolor rgb ink offset 0.4,0
set cblabel textcolor rgb ink
set grid lc rgb faint lw 0.6 lt 1 dt 1
set style fill solid 0.9 noborder
set key textcolor rgb ink noenhanced samplen 3 spacing 1.1 font ",10" Left reverse vertical
# Heading and caption, a label a line, so that every terminal has the same distance between them.
# In a terminal abdb prints the caption below.
if (terminal) { caption_lines = 0; height = 20.0 * term_rows }
heading_step = terminal ? 20.0 : 17.0
caption_step = terminal ? 20.0 : 10.6
do for [i=1:heading_lines] { set label 1000 + i heading[i] at screen 0.012, screen 1 - (14.0 + heading_step * (i - 1)) / height left textcolor rgb ink font ",13" noenhanced }
do for [i=1:caption_lines] { set label 2000 + i caption[i] at screen 0.012, screen (caption_step * (caption_lines - i) + 7.0) / height left textcolor rgb muted font ",8.5" noenhanced }
# Room for heading, key and caption, in parts of the picture.
if (!exists("series")) series = 0
head_room = (26.0 + heading_step * (heading_lines - 1)) / height
foot_room = (caption_step * caption_lines + 4) / height
name_px = 7.8 # points of a letter of a name on an axis
key_at(lines) = 1 - head_room - 17.0 * lines / height - 6.0 / height # top of the drawing below so many lines of key
# The key stands above the drawing, as many columns as fit: set key_entries and key_widest, then eval lay_key.
key_entries = series > 0 ? series + 1 : 3
key_widest = series > 0 ? series_name_widest : 30
lay_key = 'key_columns = int(690.0 / (52 + 6.4 * key_widest)); key_columns = key_columns < 1 ? 1 : key_columns; key_lines = ceil(1.0 * key_entries / key_columns); set key at screen 0.012, screen 1 - head_room left top maxrows key_lines; set tmargin at screen key_at(key_lines)'
eval lay_key
set bmargin at screen foot_room + 50.0 / height
set lmargin at screen 72.0 / width
set rmargin at screen 1 - 18.0 / width
# The words of a tic that a figure sets itself are a format to gnuplot: "%" is doubled.
tic_words(text) = strstrt(text, "%") == 0 ? text : text[1:strstrt(text, "%")] . "%" . (strstrt(text, "%") == strlen(text) ? "" : tic_words(text[strstrt(text, "%") + 1:*]))
none(text) = text eq "" || text eq " "
si(most) = most < 10000 ? "%g" : "%.0s%c" # format of a linear axis up to most
wide(low, high) = low > 0 && high > 20 * low
# A logarithmic axis from `from` to `to`, with 1, 2 and 5 where decades are few: from = ...; to = ...; eval log_x
tick(v) = v < 1 ? sprintf("%g", v) : gprintf("%.0s%c", v)
log_x = 'set logscale x; set xrange [from : to]; set xtics (); do for [k=-9:18] { do for [m=1:5] { v = m * 10.0 ** k; if (m != 3 && m != 4 && (m == 1 || to / from < 400) && v >= from && v <= to) { set xtics add (tick(v) v) } } }'
log_y = 'set logscale y; set yrange [from : to]; set ytics (); do for [k=-9:18] { do for [m=1:5] { v = m * 10.0 ** k; if (m != 3 && m != 4 && (m == 1 || to / from < 400) && v >= from && v <= to) { set ytics add (tick(v) v) } } }'
