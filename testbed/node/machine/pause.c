/* Holds a pod's namespaces, and buries its orphans. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void bury(int signal) {
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

static void end(int signal) {
  (void)signal;
  _exit(0);
}

int main(void) {
  struct sigaction burial = {.sa_handler = bury, .sa_flags = SA_NOCLDSTOP};
  struct sigaction ending = {.sa_handler = end};
  if (sigaction(SIGCHLD, &burial, NULL) || sigaction(SIGINT, &ending, NULL) || sigaction(SIGTERM, &ending, NULL)) return 1;
  for (;;) pause();
}
