# style.gp - one look for all figures. Colours by Okabe and Ito, apart for the colour-blind; each has a
# mark and a dash of its own, so that grey print and a terminal keep them apart too. The font is Lato
# (SIL Open Font License; Debian: fonts-lato); where it is not, DejaVu Sans or the reader's own.
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
# What is not highlighted is dim. A row's colour (`lc rgb variable`) is tint("#rrggbb"), a line's or its
# name's series_tint(i): dim, the vendor's where that was asked for, or the one that the figure gives it.
dim = dark ? "#454b54" : "#cdd1d6"
hex(text) = int("0x" . text[2:7])
# Of two vendors at least 12 apart in Lab to the colour-blind (tests/pages/check_vendor_colours.py).
vendor_tint(v) = v eq "NVIDIA" ? (dark ? "#a4da04" : "#6ba73d") : v eq "AMD" ? (dark ? "#ff6a5a" : "#be0402") : v eq "Intel" ? (dark ? "#47a3fa" : "#0064b0") : v eq "Google" ? (dark ? "#d38801" : "#e2a100") : v eq "Amazon" ? (dark ? "#ffb054" : "#c26800") : v eq "Qualcomm" ? (dark ? "#a9b7ff" : "#243aa9") : muted
tint(base) = column(c_lit) == 0 ? hex(dim) : vendor_colours ? hex(vendor_tint(strcol(c_vendor))) : hex(base)
series_tint(i) = series_lit[i] == 0 ? dim : vendor_colours ? vendor_tint(series_vendor[i]) : colour[(i - 1) % 8 + 1]
array mark[8]
mark[1] = 7; mark[2] = 5; mark[3] = 9; mark[4] = 13; mark[5] = 11; mark[6] = 6; mark[7] = 4; mark[8] = 8
array dash[8]
dash[1] = 1; dash[2] = 2; dash[3] = 4; dash[4] = 3; dash[5] = 5; dash[6] = 1; dash[7] = 2; dash[8] = 4
# The ninth line has the first colour again, with another mark and dash.
turned(i) = (i - 1 + 3 * ((i - 1) / 8)) % 8 + 1
do for [i=1:24] { set linetype i lc rgb colour[(i - 1) % 8 + 1] lw 1.8 dt dash[turned(i)] pt mark[turned(i)] ps 0.8 }
set linetype cycle 24
terminal = picture eq "dumb"
set border 3 lc rgb ink lw 1
tic_font = narrow ? ",9" : ",11"
set tics nomirror textcolor rgb ink scale 0.5 font tic_font
label_font = narrow ? ",10" : ",12"
set xlabel textcolor rgb ink offset 0,0.5 font label_font
set ylabel textcolor rgb ink offset 0.4,0 font label_font
set cblabel textcolor rgb ink
set grid lc rgb faint lw 0.6 lt 1 dt 1
set style fill solid 0.9 noborder
set key textcolor rgb ink noenhanced samplen 3 spacing 1.1 font ",10" Left reverse vertical
# Title, subtitle and caption, a label a line, so that every terminal has the same distance between them.
# In a terminal abdb prints the caption below.
if (terminal) { caption_lines = 0; height = 20.0 * term_rows }
heading_step = terminal ? 20.0 : 18.0
subtitle_step = terminal ? 20.0 : 15.0
caption_step = terminal ? 20.0 : 10.6
left_edge = 12.0 / width
do for [i=1:heading_lines] { set label 1000 + i heading[i] at screen left_edge, screen 1 - (15.0 + heading_step * (i - 1)) / height left textcolor rgb ink font bold . ",14" noenhanced }
subtitle_top = 15.0 + heading_step * heading_lines - 1
do for [i=1:subtitle_lines] { set label 1100 + i subtitle[i] at screen left_edge, screen 1 - (subtitle_top + subtitle_step * (i - 1)) / height left textcolor rgb muted font ",11" noenhanced }
do for [i=1:caption_lines] { set label 2000 + i caption[i] at screen left_edge, screen (caption_step * (caption_lines - i) + 8.0) / height left textcolor rgb muted font ",8.5" noenhanced }
# Of several plots the words belong to the first.
no_words = 'do for [i=1:heading_lines] { unset label 1000 + i }; do for [i=1:subtitle_lines] { unset label 1100 + i }; do for [i=1:caption_lines] { unset label 2000 + i }'
# Room for heading, key and caption, in parts of the picture.
if (!exists("series")) series = 0
head_room = (28.0 + heading_step * (heading_lines - 1) + subtitle_step * subtitle_lines) / height
foot_room = (caption_step * caption_lines + 6) / height
name_px = narrow ? 6.4 : 7.8 # points of a letter of a name on an axis
# A long name in two lines, where the picture is narrow, and the letters of the longer one.
gap(text, at) = at >= strlen(text) ? 0 : text[at:at] eq " " ? at : gap(text, at + 1)
folded(text) = narrow && strlen(text) > 20 && gap(text, strlen(text) / 2) > 0 ? text[1:gap(text, strlen(text) / 2) - 1] . "\n" . text[gap(text, strlen(text) / 2) + 1:*] : text
folded_widest(n) = narrow && n > 20 ? 0.62 * n : n
key_at(lines) = 1 - head_room - 17.0 * lines / height - 6.0 / height # top of the drawing below so many lines of key
# The key stands above the drawing, as many columns as fit: set key_entries and key_widest, then eval lay_key.
key_entries = series > 0 ? series + 1 : 3
key_widest = series > 0 ? series_name_widest : 30
lay_key = 'key_columns = int((width - 30.0) / (52 + 6.4 * key_widest)); key_columns = key_columns < 1 ? 1 : key_columns; key_lines = ceil(1.0 * key_entries / key_columns); set key at screen 0.012, screen 1 - head_room left top maxrows key_lines; set tmargin at screen key_at(key_lines)'
eval lay_key
set bmargin at screen foot_room + 50.0 / height
set lmargin at screen 72.0 / width
set rmargin at screen 1 - 18.0 / width
# The words of a tic that a figure sets itself are a format to gnuplot: "%" is doubled.
tic_words(text) = strstrt(text, "%") == 0 ? text : text[1:strstrt(text, "%")] . "%" . (strstrt(text, "%") == strlen(text) ? "" : tic_words(text[strstrt(text, "%") + 1:*]))
# Names at the ends of lines, in the colour of their lines: of those that end at the same x a line apart
# at least, on the ground, so that no line strikes them through. Set area_height, end_x and end_y (arrays),
# place(y) (part of the height), then eval label_ends.
set style textbox opaque margins 0.3,0.3 fillcolor rgb ground noborder
label_ends = 'label_step = 12.0 / area_height; array end_done[series]; do for [i=1:series] { end_done[i] = 0 }; do for [g=1:series] { if (!end_done[g]) { ends = 0; do for [i=1:series] { ends = ends + (end_x[i] == end_x[g]) }; last = 2.0; do for [k=1:ends] { top = 0; do for [i=1:series] { if (!end_done[i] && end_x[i] == end_x[g] && (top == 0 || end_y[i] > end_y[top])) { top = i } }; end_done[top] = 1; spot = place(end_y[top]) < last - label_step ? place(end_y[top]) : last - label_step; spot = spot < (ends - k) * label_step ? (ends - k) * label_step : spot; last = spot; set label 400 + top series_name[top] at first end_x[top], graph spot left offset 1.2,0 textcolor rgb (series_lit[top] ? series_tint(top) : muted) font ",10" noenhanced front boxed } } }'
# A line a series: names at the ends of the lines where they fit, else a key. First eval lay_lines; when the axes
# are set, across and up (columns), the y axis from low (0: linear from 0) to high, then eval name_lines.
direct = series > 0 && series < 11 && series_name_widest < 37 && !terminal && (!narrow || width - 5.8 * series_name_widest > 300)
lay_lines = 'if (direct) { unset key; set tmargin at screen 1 - head_room - 6.0 / height; set rmargin at screen 1 - (16 + 5.8 * series_name_widest) / width }'
name_lines = 'if (high == low) { high = low + 1 }; area_height = height * (1 - head_room - foot_room) - 56.0; place(y) = low > 0 ? (log10(y) - log10(low)) / (log10(high) - log10(low)) : (y - low) / (high - low); array end_x[series]; array end_y[series]; do for [i=1:series] { end_x[i] = NaN; end_y[i] = low > 0 ? low : 0; stats $data index i - 1 using (column(across) == column(across) && column(up) == column(up) && (low == 0 || column(up) > 0) && !(column(across) < end_x[i]) ? (end_y[i] = column(up), end_x[i] = column(across), high) : high) nooutput }; if (direct) { eval label_ends }'
# Names at points, where neither a point nor another name is: right of it, left, above, below; of those on
# steps (point_steps[i] == 1) or a rising line (2) where that does not go first. Set points,
# point_x, point_y (points of length from the lower left corner of a drawing of area_width by area_height),
# point_name, point_lit, then eval label_points.
room(c, k) = c == 1 ? 7 : c == 2 ? -7 - k : c == 3 || c == 5 ? -k / 2.0 : c == 4 || c == 6 ? 4 : c == 7 ? 6 : -4 - k
rise(c) = c == 3 || c == 4 ? 12 : c == 5 || c == 6 ? -12 : c == 7 ? 7 : c == 8 ? 11 : 0
turn(t, steps) = int(word(steps == 1 ? "2 8 6 5 3 1 4 7" : steps == 2 ? "6 1 5 2 3 4 7 8" : "1 4 6 2 3 5 7 8", t))
label_points = 'array box_x[points]; array box_w[points]; array box_y[points]; do for [i=1:points] { box_x[i] = -1e4; box_y[i] = -1e4; box_w[i] = 0 }; do for [i=1:points] { box_w[i] = 6.1 * strlen(point_name[i]); best = 0; do for [t=1:8] { if (best == 0) { c = turn(t, point_steps[i]); x0 = point_x[i] + room(c, box_w[i]); y0 = point_y[i] + rise(c); free = x0 > 4 && x0 + box_w[i] < area_width + 14 && y0 > 6 && y0 < area_height - 4; do for [j=1:points] { if (j != i && point_x[j] > x0 - 5 && point_x[j] < x0 + box_w[i] + 5 && abs(point_y[j] - y0) < 10) { free = 0 }; if (j < i && x0 < box_x[j] + box_w[j] + 3 && x0 + box_w[i] + 3 > box_x[j] && abs(box_y[j] - y0) < 12) { free = 0 } }; if (free) { best = c } } }; best = best == 0 ? 1 : best; box_x[i] = point_x[i] + room(best, box_w[i]); box_y[i] = point_y[i] + rise(best); set label 600 + i point_name[i] at graph (best == 2 || best == 8 ? box_x[i] + box_w[i] : best == 3 || best == 5 ? point_x[i] : box_x[i]) / area_width, graph box_y[i] / area_height left font ",10" textcolor rgb (point_lit[i] == 1 ? ink : muted) noenhanced; if (best == 2 || best == 8) { set label 600 + i right }; if (best == 3 || best == 5) { set label 600 + i center } }'
none(text) = text eq "" || text eq " "
si(most) = most < 10000 ? "%g" : "%.0s%c" # format of a linear axis up to most
wide(low, high) = low > 0 && high > 20 * low
# A logarithmic axis from `from` to `to`, with 1, 2 and 5 where decades are few: from = ...; to = ...; eval log_x
tick(v) = v < 1 ? sprintf("%g", v) : gprintf("%.0s%c", v)
log_x = 'set logscale x; set xrange [from : to]; set xtics (); do for [k=-9:18] { do for [m=1:5] { v = m * 10.0 ** k; if (m != 3 && m != 4 && (m == 1 || to / from < (narrow ? 40 : 400)) && v >= from && v <= to) { set xtics add (tick(v) v) } } }'
log_y = 'set logscale y; set yrange [from : to]; set ytics (); do for [k=-9:18] { do for [m=1:5] { v = m * 10.0 ** k; if (m != 3 && m != 4 && (m == 1 || to / from < (narrow ? 40 : 400)) && v >= from && v <= to) { set ytics add (tick(v) v) } } }'
