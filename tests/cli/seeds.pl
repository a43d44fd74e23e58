# seeds.pl - does each fact and claim stand in its document, where its locator says?
#   abdb query "SELECT ..." -o jsonl | perl seeds.pl FOLDER
# A locator ends in «anchor»: words of the document near which the raw value is printed. Prints what
# is not there, and a count per source. Where the locator says "in words" ("twice", "2nd best"), the
# document prints no number, and only the anchor is looked for.
use strict;
use utf8;
use warnings;
use JSON::PP;
binmode STDOUT, ':utf8';

my ($folder) = @ARGV;
my %words = ('databricks-gaudi2' => 'At Databricks', 'ml-engineering' => 'SXM |',
             'argonne-llm' => 'Argonne', 'kaist-gaudi2' => 'BatchedTable');
my %text;
for my $path (glob "$folder/*.txt") {
    open my $file, '<:utf8', $path or die "$path: $!";
    my $body = do { local $/; <$file> };
    for my $source (keys %words) { $text{$source} = $body if index($body, $words{$source}) >= 0 }
}

my (%count, $bad);
while (<STDIN>) {
    my $fact = decode_json($_);
    my ($anchor) = $fact->{locator} =~ /«(.*)»/s;
    my $body = $text{$fact->{source}} // die "no document of $fact->{source}\n";
    my ($value, $found, $at) = ($fact->{raw_value} // '', 0, -1);
    $value = '' if $fact->{locator} =~ /in words/;
    while (defined $anchor && !$found && ($at = index($body, $anchor, $at + 1)) >= 0) {
        my $from = $at > 700 ? $at - 700 : 0;
        my $near = substr($body, $from, $at - $from + length($anchor) + 900);
        $found = $value eq '' || $near =~ /(?<![\d.])\Q$value\E(?!\d|[.,]\d)/;
    }
    $count{$fact->{source}}++;
    next if $found;
    $bad = 1;
    print "not there: $fact->{name}: '$value' at '" . ($anchor // 'no anchor') . "'\n";
}
print "$_ $count{$_}\n" for sort keys %count;
exit($bad ? 1 : 0);
