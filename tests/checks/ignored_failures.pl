#!/usr/bin/env perl
# ignored_failures.pl FILE... - the lines of shell scripts under set -e, and of bats files, that look as if they failed a test and cannot:
#   ! COMMAND                  set -e ignores a command that is negated; only as the last one of a test it would count
#   [ A ] && [ B ]             set -e looks at the last command of a list only: it passes where A fails
#   X || { [ A ] && B; }       the group ends without the last command of its list
# A list that goes on with || is right: what stands behind it is done. So is `[ A ] && DO`, which asks and does.
use strict;
use warnings;

my $test = qr/(?:\[\[?(?= )|!|(?:grep|cmp|diff|same|fails|no|silent)\b)/;
my $word = qr/'[^']*'|\$'(?:[^'\\]|\\.)*'|\\./s;
my ($quoted, $inside);
$inside = qr/\$\((?:[^()'"\\]|$word|(??{ $quoted })|\((?:[^()'"\\]|$word|(??{ $quoted }))*+\))*+\)/s;
$quoted = qr/"(?:[^"\\\$]|\\.|(??{ $inside })|\$)*+"/s;

for my $file (@ARGV) {
    open my $in, '<', $file or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    next if $file =~ /\.sh$/ && $text !~ /^set -\w*e/m;
    my $same_lines = sub { "_" . "\n" x ($_[0] =~ tr/\n//) };
    # here-documents, comments, and what is quoted or run inside a word, are no commands of the test
    $text =~ s{^([^\n]*?<<-?\s*(['"]?)(\w+)\2[^\n]*\n)(.*?)^\s*\3$}{$1 . $same_lines->($4)}gsme;
    $text =~ s{(?<![^\s;(])\#[^\n]*|($word|$quoted|$inside)}{defined $1 ? $same_lines->($1) : ""}gse;
    $text =~ s{\[\[ .*? \]\]}{"[[ _ ]]" . "\n" x ($& =~ tr/\n//)}gse;
    # a list that goes on in the next line is one
    my ($line, $before) = (0, "");
    for (split /\n/, $text) {
        $line++;
        $_ = $before . $_;
        $before = "";
        if (/\\$/ || /(?:&&|\|)\s*$/) { ($before = $_) =~ s/\\$//; next }
        1 while s/\{[^{}]*\}\s*\|\|/ ||/; # what a group says is asked
        for (split /;|[{}]|\b(?:do|then|else)\b/) {
            next if /\|\|/ || /^\s*(?:if|elif|while|until)\b/;
            my $what = /(?:^|&&)\s*!\s/ ? "! COMMAND"
                : /(?:^|&&)\s*(?:same|fails|no|silent)\b[^|]*&&/ || /(?:^|&&)\s*$test.*&&\s*$test/ ? "A && B"
                : next;
            s/^\s+|\s+$//g;
            print "$file:$line: $what is ignored: $_\n";
        }
    }
}
