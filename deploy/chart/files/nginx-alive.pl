# Whether a worker of nginx answers at its control socket. Perl is in both images; curl is in neither.
use Socket;
alarm 4;
socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or die "no socket: $!\n";
connect($socket, sockaddr_un("control/control.sock")) or die "no nginx: $!\n";
syswrite $socket, "GET /status HTTP/1.0\r\n\r\n";
sysread $socket, my $answer, 12;
$answer =~ / 200$/ or die "nginx answers: $answer\n";
