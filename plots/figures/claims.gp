# title: Claims of documents, recomputed from facts
# finding: {count} of {all} numbers that documents claim hold when they are recomputed
# subtitle: A square for each number that a document claims, recomputed from the facts that it rests on
# ranks: recomputed claim of verdict=holds
# names: source
# report: audit-claims
# levels: source
# size: 720,100
# grow: 26 source
# room: 250
# narrow: 100
# hint: import documents with claims: abdb import data
# A row a document, a square a claim: first those that fail, then those that lack a fact, then those that hold.
array count_of[levels_source]; array held[levels_source]
do for [i=1:levels_source] { count_of[i] = 0; held[i] = 0 }
l(i) = int(column(c_source_level))
says(v) = strcol(c_verdict) eq v
# one more of the document; its place in the row
next(i) = (count_of[l(0)] = count_of[l(0)] + 1, held[l(0)] = held[l(0)] + says("holds"), count_of[l(0)])
stats $data using (next(0)) nooutput
most = STATS_max
do for [i=1:levels_source] {
    set label 500 + i sprintf("%d of %d hold", held[i], count_of[i]) at graph 1, first i right offset 11.5,0 font ",10" textcolor rgb ink noenhanced
    count_of[i] = 0
}
set yrange [levels_source + 0.5 : 0.5] noreverse
set xrange [0.3 : most + 0.7]
set for [i=1:levels_source] ytics (tic_words(folded(level_source[i])) i)
set ytics scale 0
unset xtics
unset grid
set border 0
key_entries = 3; key_widest = 22; eval lay_key
set bmargin at screen foot_room + 6.0 / height
set lmargin at screen (14 + name_px * folded_widest(level_source_widest)) / width
set rmargin at screen 1 - (narrow ? 92.0 : 96.0) / width
shade(i) = says("holds") ? colour[1] : says("fails") ? colour[4] : colour[8]
# the place first: it counts
plot $data using (next(0)):(column(c_source_level)):(tint(shade(0))) with points pt 5 ps (narrow ? 0.4 : 0.9) lc rgb variable notitle, \
     NaN with points pt 5 ps 0.9 lc rgb colour[1] title "holds", \
     NaN with points pt 5 ps 0.9 lc rgb colour[4] title "fails", \
     NaN with points pt 5 ps 0.9 lc rgb colour[8] title "a fact is missing"
