#!/usr/bin/env perl
# git over HTTP on 127.0.0.1: git_http.pl ROOT LOG PORT-FILE [NAME:PASSWORD | to=ADDRESS]
# serves the repositories below ROOT, to NAME alone where there is one, or redirects all to ADDRESS.
# Each request's head is appended to LOG.
use strict;
use warnings;
use IO::Socket::INET;
use MIME::Base64;

my ($root, $log, $port_file, $rule) = @ARGV;
my ($to) = ($rule // '') =~ /^to=(.*)/;
my $wanted = defined $rule && !defined $to ? 'Basic ' . encode_base64($rule, '') : '';
my $server = IO::Socket::INET->new(Listen => 20, LocalAddr => '127.0.0.1', ReuseAddr => 1) or die $!;
open my $file, '>', "$port_file.new" or die $!;
print $file $server->sockport, "\n";
close $file;
rename "$port_file.new", $port_file;

sub answer {
    my ($client, $status, $head, $body) = @_;
    print $client "HTTP/1.1 $status\r\nConnection: close\r\n$head" . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}

while (my $client = $server->accept) {
    my $line = <$client> // next;
    my ($method, $path, $query) = $line =~ m{^(\S+) ([^? ]*)\??(\S*)};
    my ($head, %header) = $line;
    while (defined($_ = <$client>) && /\S/) {
        $head .= $_;
        $header{lc $1} = $2 if /^(\S+):\s*(.*?)\r?\n/;
    }
    open my $out, '>>', $log or die $!;
    print $out $head;
    close $out;
    my $body = '';
    read $client, $body, $header{'content-length'} if $header{'content-length'};
    if (defined $to) {
        answer($client, '302 Found', "Location: $to$path?$query\r\n", '');
    } elsif ($wanted ne '' && ($header{authorization} // '') ne $wanted) {
        answer($client, '401 Unauthorized', "WWW-Authenticate: Basic realm=\"x\"\r\n", '');
    } else {
        open my $in, '>', "$port_file.in" or die $!;
        print $in $body;
        close $in;
        local %ENV = (%ENV, GIT_PROJECT_ROOT => $root, GIT_HTTP_EXPORT_ALL => 1, PATH_INFO => $path, QUERY_STRING => $query,
            REQUEST_METHOD => $method, CONTENT_TYPE => $header{'content-type'} // '', CONTENT_LENGTH => length $body);
        my $said = `git http-backend <'$port_file.in'`;
        my ($cgi, $content) = split /\r\n\r\n/, $said, 2;
        my $status = $cgi =~ s/^Status: ([^\r]*)\r?\n?//m ? $1 : '200 OK';
        answer($client, $status, "$cgi\r\n", $content // '');
    }
    close $client;
}
