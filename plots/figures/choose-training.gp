# title: Cheapest systems for a training
# finding: {leader} is the cheapest for {work}: {best} USD; {second} costs {gap} more
# finding: {tied} are the cheapest for {work}: {best} USD
# finding: {only} alone can be chosen for {work}: {best} USD
# subtitle: {work}: USD of one training†, whole systems at the lowest price; line: up to the highest offer
# ranks: usd_of_run device low
# report: choose
# with: time_to_train=any
# needs: usd_of_run>0
# levels: device
# size: 720,92
# grow: 24 rows
# sets: mlperf price
# hint: name a training, --model llama2_70b_lora (abdb query coverage lists what is here), and give prices by --price, or import some
# A bar a purchase, cheapest first: what one training costs at the lowest price. The thin line goes to what it
# costs at the highest offer. At the end of a bar: how many devices that takes, and how long.
dear(x) = column(c_dearest) > column(c_usd_per_device_hour) ? x * column(c_dearest) / column(c_usd_per_device_hour) : x
stats $data using (dear(column(c_usd_of_run))) name "dear" nooutput
set yrange [rows + 0.5 : 0.5] noreverse
set ytics scale 0
set border 3
unset key
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 46.0 / height
set grid xtics
set xlabel "USD of one training"
money(x) = x < 1000 ? sprintf("%.3g", x) : sprintf("%.0f", x)
set xrange [0 : 1.4 * max_usd_of_run > 1.02 * dear_max ? 1.4 * max_usd_of_run : 1.02 * dear_max]
set lmargin at screen (24 + name_px * (level_device_widest + 7)) / width
label(n) = sprintf("%s%s", strcol(c_device), strcol(c_how) eq "owned" ? " owned" : "")
plot $data using (0):(column(c_place)):(0):(column(c_usd_of_run)):(column(c_place) - 0.32):(column(c_place) + 0.32):(tint(colour[1])):ytic(label(0)) with boxxyerror fs solid 1 noborder lc rgb variable notitle, \
     '' using (column(c_usd_of_run)):(column(c_place)):(dear(column(c_usd_of_run)) - column(c_usd_of_run)):(0) with vectors nohead lw 1.2 dt 1 lc rgb ink notitle, \
     '' using (column(c_usd_of_run)):(column(c_place)):(sprintf("  %s USD: %d devices, %.3g min", money(column(c_usd_of_run)), column(c_devices), column(c_minutes))) with labels left offset 0,0.55 font ",9" tc rgb ink noenhanced notitle
