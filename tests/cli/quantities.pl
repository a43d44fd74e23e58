# quantities.pl - is every number of the four documents a fact, or is it said why it is none?
#   perl quantities.pl FOLDER LISTS UNITS.def <what the database holds, as rows of JSON
# LISTS/SOURCE.txt names each number of a document in its order: "line number what [unit]". What is the
#   name of a fact or of a claim          its number is the one printed there; several: one+other;
#                                         the unit is that of the fact, if it has one
#   name of a fact @ factor               devices, nodes, x or a factor of that result has it
#   @ factor                              so has a configuration whose «anchor» is near that line
#   - reason                              no fact; the reasons are below
# "from-to * -citation" stands for all numbers of these lines. LISTS/names.txt are words whose
# digits are part of a name. With --list DOCUMENT the numbers are printed, to begin a list.
use strict;
use utf8;
use warnings;
use JSON::PP;
binmode STDOUT, ':utf8';

my %reasons = (
    name       => 'part of a name: of a model, a round, a class of clouds',
    place      => 'number of a section, figure, table, note, line or point of a list',
    citation   => 'list of references, or the number or year of one',
    date       => 'date of the document or of an event',
    formula    => 'constant of a formula or of a listing',
    definition => 'says what a word means',
    counts     => 'counts cases, kinds or examples of the text',
    general    => 'said of the world or of all hardware, of no device or measurement here',
    others     => 'said of the work of others, measured elsewhere',
    guess      => 'guessed by the document, measured by nobody',
    future     => 'planned or left out by the document',
);
my %begins = ('databricks-gaudi2' => 'At Databricks', 'ml-engineering' => 'SXM |',
              'argonne-llm' => 'Argonne', 'kaist-gaudi2' => 'BatchedTable');
my %words = (two => 2, twin => 2, three => 3, four => 4, five => 5, six => 6, seven => 7, eight => 8,
             nine => 9, ten => 10, eleven => 11, twelve => 12); # "one" is mostly an article
my $word = join '|', sort keys %words;
my $near = 12; # lines between a number and the anchor of the configuration that has it

sub text {
    my ($path) = @_;
    open my $file, '<:utf8', $path or die "$path: $!\n";
    local $/;
    return scalar <$file>;
}

# One copy prints formulas three times: 99.3%99.3\%99.3 %, 819281928192.
sub plain {
    my ($line) = @_;
    $line =~ s/(\d[\d.,]*)([%×])\g1\\(?:%|times)\g1 ?[%×]/$1$2/g;
    $line =~ s/(\d+),(\d+)\g1,?\g2\g1 , \g2/$1,$2/g;
    $line =~ s/=(\d+)\g1\g1(?!\d)/=$1/g;
    $line =~ s/https?:\S+//g;
    return $line;
}

# The numbers of a document in order: [line, number].
sub numbers {
    my ($body, $names) = @_;
    my $alternatives = join '|', map { quotemeta } sort { length $b <=> length $a } @$names;
    my ($line, @found) = 0;
    for (split /\n/, $body) {
        $line++;
        my $rest = plain($_);
        $rest =~ s/(?:(?<![A-Za-z0-9])|(?<=[0-9]x))(?:$alternatives)(?=s?(?![A-Za-z0-9]))/ /g;
        push @found, [$line, lc $1]
            while $rest =~ /(\d+(?:,\d{3})*(?:\.\d+)*|(?<!\d)\.\d+|\b(?:$word)\b)/gi;
    }
    return @found;
}

# The list: [line, number, what, line, unit], a range as [from, '*', what, to].
sub list {
    my ($path) = @_;
    my @list;
    for (split /\n/, text($path)) {
        next if /^\s*(#|$)/;
        /^(\d+)(?:-(\d+))? (\S+) (\S+)(?: (\S+))?$/ or die "$path: not 'line number what unit': $_\n";
        push @list, [$1, $3, $4, $2 // $1, $5 // ''];
    }
    return @list;
}

sub same {
    my ($one, $other) = map { $words{$_} // tr/,//dr } @_;
    my $decimal = qr/\d*\.?\d+/;
    return $one eq $other || ("$one $other" =~ /^$decimal $decimal$/ && $one == $other);
}

# Does a text have that number as a whole?
sub has {
    my ($text, $number) = @_;
    my @tokens = $text =~ /(\d+(?:,\d{3})*(?:\.\d+)*|\.\d+)/g;
    return scalar grep { same($_, $number) } @tokens;
}

my ($folder, $lists, $units) = @ARGV;
my @names = grep { length } split /\n/, text(($folder eq '--list' ? $units : $lists) . '/names.txt');
if ($folder eq '--list') { # --list DOCUMENT LISTS
    print "$_->[0] $_->[1]\n" for numbers(text($lists), \@names);
    exit 0;
}

my (%factor, %fact, @near);
my %unit = map { /^UNIT\("([^"]+)", "[^"]+", ([^)]+)\)/ ? ($1 => $2) : () } split /\n/, text($units);
while (<STDIN>) {
    my $row = decode_json($_);
    if ($row->{kind} eq 'factor') {
        push @{$factor{"$row->{name}\@$row->{factor}"}}, $row if $row->{name};
        push @near, $row;
    } else {
        $fact{$row->{name}} = $row;
    }
}

# Why that number is not what the list says; nothing where it is.
sub wrong {
    my ($source, $body, $line, $number, $what, $unit) = @_;
    if ($what =~ /^-(.*)/) {
        return exists $reasons{$1} ? '' : "no such reason: $1";
    }
    if ($what =~ /^@(.*)/) {
        for my $row (grep { $_->{source} eq $source && $_->{factor} eq $1 } @near) {
            my ($anchor) = $row->{locator} =~ /«(.*)»/s or next;
            my $at = -1;
            while (($at = index($body, $anchor, $at + 1)) >= 0) {
                my $there = 1 + (substr($body, 0, $at) =~ tr/\n//);
                return '' if abs($there - $line) <= $near && has($row->{text}, $number);
            }
        }
        return "no configuration near has it as $1";
    }
    if ($what =~ /\@/) {
        return '' if grep { has($_->{text}, $number) } @{$factor{$what} // []};
        return "$what is " . join(', ', map { $_->{text} } @{$factor{$what} // []}) . ", not $number";
    }
    my $row = $fact{$what} or return "no such fact: $what";
    return "$what is of $row->{source}" if $row->{source} ne $source;
    if ($row->{kind} eq 'claim') {
        return has($row->{raw_value}, $number) ? '' : "$what is $row->{raw_value}, not $number";
    }
    return "$what is $row->{raw_value}, not $number" unless same($row->{raw_value}, $number);
    my $has = $row->{raw_unit} =~ /^(1|x)$/ ? '' : $row->{raw_unit};
    return "$what is in $has, not $unit" unless $has eq $unit;
    my $factor = $unit{$row->{raw_unit}} // ($row->{raw_unit} eq $row->{unit} ? 1 : 0);
    my $base = $factor * ($words{$number} // $number =~ tr/,//dr);
    return abs($row->{value} - $base) <= 1e-9 * abs($base) ? '' : "$what is $row->{value}, not $base";
}

my ($bad, %used);
for my $path (glob "$folder/*.txt") {
    my $body = text($path);
    my ($source) = grep { index($body, $begins{$_}) >= 0 } sort keys %begins;
    die "$path: which document?\n" unless $source;
    my @list = list("$lists/$source.txt");
    my %count;
    for my $found (numbers($body, \@names)) {
        my ($line, $number) = @$found;
        my $next = $list[0];
        if ($next && $next->[1] eq '*' && $next->[3] < $line) { # the range is over
            shift @list;
            $next = $list[0];
        }
        if ($next && $next->[1] eq '*' && $next->[0] <= $line) {
            $next->[2] eq '-citation' or die "$source.txt, line $next->[0]: only citations are ranges\n";
            $count{reason}++;
            next;
        }
        if (!$next || $next->[0] != $line || $next->[1] ne $number) {
            print "$source, line $line: $number is not in the list",
                $next ? ", which goes on with line $next->[0]: $next->[1]\n" : "\n";
            exit 1;
        }
        shift @list;
        for my $what (split /\+/, $next->[2]) {
            my $why = wrong($source, $body, $line, $number, $what, $next->[4]);
            print "$source, line $line, $number: $why\n" if $why;
            $bad ||= $why;
            $used{$what =~ s/\@.*//r} = 1;
        }
        $count{$next->[2] =~ /^-/ ? 'reason' : 'fact'}++;
    }
    shift @list if @list && $list[0][1] eq '*';
    print "$source: the list has what the document lacks: line $list[0][0]: $list[0][1]\n" if @list;
    $bad ||= @list;
    print "$source $count{fact} facts, $count{reason} reasons\n";
}
# And the other way round: a fact that the list never names is of no number of a document.
for my $name (sort keys %fact) {
    next if $used{$name} || $fact{$name}{kind} eq 'claim' || $fact{$name}{locator} =~ /in words/;
    print "$name: $fact{$name}{raw_value} is no number of the list\n";
    $bad = 1;
}
exit($bad ? 1 : 0);
