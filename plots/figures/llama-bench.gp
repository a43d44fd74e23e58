# title: llama.cpp: prompt and generation rates by depth and build {model}
# finding: llama.cpp reaches {max tokens_per_s} tokens/s
# subtitle: Tokens/s, mean, by tokens of context before the test; bars: one standard deviation
# report: llama-bench
# needs: tokens_per_s>0
# series: _label 12
# levels: kind
# size: 720,440
# room: 80,210
# sets: llama
# hint: llama-bench -o jsonl | abdb import -
# A panel each for prompt (and both) and for generation, whose rates differ by orders of magnitude; a line a test
# and build over the depth of the context, named at its end.
if (!terminal) { set multiplot }
unset key
set bmargin at screen foot_room + 40.0 / height
set tmargin at screen 1 - head_room - 24.0 / height
set grid ytics noxtics
set border 1
set ytics scale 0
gap = 44.0 + 5.8 * (series_name_widest < 36 ? series_name_widest : 36)
panel = (width - 20.0 - levels_kind * gap) / levels_kind
area_height = height * (1 - head_room - foot_room) - 64.0
array end_x[series]; array end_y[series]
do for [k=1:levels_kind] {
    set lmargin at screen (36.0 + (k - 1) * (panel + gap)) / width
    set rmargin at screen (36.0 + (k - 1) * (panel + gap) + panel) / width
    is(i) = int(column(c_kind_level)) == k
    high = 0
    stats $data using (is(0) ? (high = column(c_tokens_per_s) > high ? column(c_tokens_per_s) : high) : NaN) nooutput
    high = 1.12 * high
    set yrange [0 : high]
    set format y si(high)
    place(y) = y / high
    if (max_depth == 0) { set xrange [-0.5 : 0.5]; set xtics (0) } else { set xrange [-0.04 * max_depth : max_depth]; set xtics max_depth / 2 }
    do for [i=1:series] { end_x[i] = NaN; end_y[i] = 0; stats $data index i - 1 using (is(0) && !(column(c_depth) < end_x[i]) ? (end_y[i] = column(c_tokens_per_s), end_x[i] = column(c_depth), 1) : 1) nooutput; unset label 400 + i }
    eval label_ends
    if (terminal) { set label 500 level_kind[k] at graph 0, graph 1.04 } else { set label 500 level_kind[k] at graph 0, graph 1 offset 0,0.7 left font bold . ",10" textcolor rgb ink noenhanced }
    plot for [i=0:series-1] $data index i using (is(0) ? column(c_depth) : NaN):(column(c_tokens_per_s)):(column(c_low)):(column(c_high)) with yerrorbars lt i + 1 dt 1 lc rgb series_tint(i + 1) lw 1.2 ps 0 notitle, \
         for [i=0:series-1] '' index i using (is(0) ? column(c_depth) : NaN):(column(c_tokens_per_s)) with linespoints lt i + 1 lc rgb series_tint(i + 1) notitle
    eval no_words
}
if (!terminal) { unset multiplot }
