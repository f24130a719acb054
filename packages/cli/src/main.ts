process.stderr.write('fairway: no command is built in yet\n');
process.exitCode = 1;
