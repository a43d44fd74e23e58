# title: Roofline {device}
# report: roofline
# needs: gflop_per_s>0 intensity_flop_per_B>0
# least: 2
# levels: backend
# size: 720,500
# room: 120,210
# narrow: 200
# sets: measured kaist
# hint: abdb run --plan quick --quick
# Solid roofs are measured here, dashed ones published: peak and bandwidth of each on the right. Points
# are kernels, a mark a program or source.
array peak[rows]; array slope[rows]; array words[rows]; array solid[rows]
roofs = 0
keep(i) = (roofs = roofs + 1, peak[roofs] = column(c_gflop_per_s), slope[roofs] = column(c_gb_per_s), words[roofs] = strcol(c_label), solid[roofs] = strcol(c_backend) eq "measured", 0)
stats $data using (strcol(c_kind) eq "ceiling" ? keep(0) : 0) nooutput
from = 0.5 * min_intensity_flop_per_B; to = 3 * max_intensity_flop_per_B; eval log_x
least = min_gflop_per_s; most = max_gflop_per_s
from = 0.4 * least; to = 2 * most; eval log_y
set xlabel "operational intensity, FLOP/B"
set ylabel "GFLOP/s"
label_px = 0
do for [i=1:roofs] { words[i] = words[i] . gprintf(strstrt(words[i], " i") ? ": %.3s %cOP/s" : ": %.3s %cFLOP/s", 1e9 * peak[i]) . gprintf(", %.3s %cB/s", 1e9 * slope[i]); label_px = 5.6 * strlen(words[i]) > label_px ? 5.6 * strlen(words[i]) : label_px }
set rmargin at screen 1 - (narrow ? 14 : 22 + label_px) / width
if (narrow) { roof_side = 'right' } else { roof_side = 'left' }
# Names of roofs on the right, from the top down, a line apart at least.
array taken[rows]
do for [i=1:roofs] { taken[i] = 0 }
step = 14.0 / (height * (1 - head_room - foot_room - 75.0 / height))
last = 1 + step
do for [k=1:roofs] {
    top = 0
    do for [i=1:roofs] { if (!taken[i] && (top == 0 || peak[i] > peak[top])) { top = i } }
    taken[top] = 1
    spot = log10(peak[top] / from) / log10(to / from)
    last = spot < last - step ? spot : last - step
    set label 300 + k words[top] at graph (narrow ? 0.99 : 1.012), graph (narrow ? last + 0.45 * step : last) @roof_side font ",8" textcolor rgb ink noenhanced front boxed
}
point(k) = strcol(c_kind) eq "point" && int(column(c_backend_level)) == k
is_program(k) = level_backend[k] ne "measured" && level_backend[k] ne "published"
key_entries = levels_backend; key_widest = level_backend_widest; eval lay_key
set samples 400
array roof_dash[roofs]
do for [k=1:roofs] { roof_dash[k] = solid[k] ? 1 : 2 }
plot for [k=1:roofs] (x * slope[k] < peak[k] ? x * slope[k] : peak[k]) with lines lw (solid[k] ? 1.8 : 1.2) dt roof_dash[k] lc rgb (solid[k] ? ink : muted) notitle, \
     for [k=1:levels_backend] $data using (point(k) ? column(c_intensity_flop_per_B) : NaN):(column(c_gflop_per_s)) with points lt k ps 1 title (is_program(k) ? level_backend[k] : "")
