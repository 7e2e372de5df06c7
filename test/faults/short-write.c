// Preloaded into a program under test: the system takes only the first half of a write, as it may.
//
// strace can change what a call answers, not how much it writes, so only the bytes that were really written are claimed
// here. In programs of this name only, SHORT_WRITE_IN:
//   SHORT_WRITE_LOG   each write of two bytes or more to a file is noted in this file, by the file's path
//   SHORT_WRITE_PATH  writes to this file are cut: the SHORT_WRITE_AT-th, and with SHORT_WRITE_ON every later one;
//                     each is noted in SHORT_WRITE_LOG
//   SHORT_WRITE_LIE   what is cut is said to be whole: bytes are lost, and whoever looks for that must see it
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *log_path, *path_meant;
static long first;
static int goes_on, lies;
static atomic_long count;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("SHORT_WRITE_IN");
  if (name == NULL || strcmp(name, program_invocation_short_name) != 0) return;
  log_path = getenv("SHORT_WRITE_LOG");
  path_meant = getenv("SHORT_WRITE_PATH");
  const char *at = getenv("SHORT_WRITE_AT");
  first = at == NULL ? 1 : atol(at);
  goes_on = getenv("SHORT_WRITE_ON") != NULL;
  lies = getenv("SHORT_WRITE_LIE") != NULL;
}

static void note(const char *path) {
  int file = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) abort();
  char line[PATH_MAX + 1];
  int length = snprintf(line, sizeof line, "%s\n", path);
  if (syscall(SYS_write, file, line, (size_t)length) != length) abort();
  close(file);
}

/** How much of so many bytes is taken. */
static size_t taken(int fd, size_t bytes) {
  if (log_path == NULL || bytes < 2) return bytes;
  int before = errno;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = before;
  if (length < 0) return bytes;
  path[length] = 0;
  if (path[0] != '/' || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) {
    // A pipe, a terminal: not a file. Memory that stands for a disk is one.
    if (strncmp(path, "/dev/shm/", 9) != 0) return bytes;
  }
  if (path_meant != NULL) {
    if (strcmp(path, path_meant) != 0) return bytes;
    long nth = atomic_fetch_add(&count, 1) + 1;
    if (nth < first || (nth > first && !goes_on)) return bytes;
  }
  note(path);
  errno = before;
  return path_meant == NULL ? bytes : bytes / 2;
}

static ssize_t told(ssize_t wrote, size_t length) { return lies && wrote > 0 ? (ssize_t)length : wrote; }

ssize_t write(int fd, const void *bytes, size_t length) {
  return told(syscall(SYS_write, fd, bytes, taken(fd, length)), length);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  return told(syscall(SYS_pwrite64, fd, bytes, taken(fd, length), at), length);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return pwrite64(fd, bytes, length, at); }

/** The first pieces that make up so many bytes. */
static int cut(const struct iovec *all, int pieces, size_t bytes, struct iovec *some) {
  int kept = 0;
  for (; kept < pieces && bytes > 0; kept += 1) {
    some[kept] = all[kept];
    if (some[kept].iov_len > bytes) some[kept].iov_len = bytes;
    bytes -= some[kept].iov_len;
  }
  return kept;
}

static size_t sum(const struct iovec *all, int pieces) {
  size_t bytes = 0;
  for (int at = 0; at < pieces; at += 1) bytes += all[at].iov_len;
  return bytes;
}

ssize_t writev(int fd, const struct iovec *all, int pieces) {
  if (pieces < 1 || pieces > IOV_MAX) return syscall(SYS_writev, fd, all, pieces);
  struct iovec some[pieces];
  size_t length = sum(all, pieces);
  return told(syscall(SYS_writev, fd, some, cut(all, pieces, taken(fd, length), some)), length);
}
ssize_t pwritev64(int fd, const struct iovec *all, int pieces, off64_t at) {
  if (pieces < 1 || pieces > IOV_MAX) return syscall(SYS_pwritev, fd, all, pieces, (long)at, 0L);
  struct iovec some[pieces];
  size_t length = sum(all, pieces);
  return told(syscall(SYS_pwritev, fd, some, cut(all, pieces, taken(fd, length), some), (long)at, 0L), length);
}
ssize_t pwritev(int fd, const struct iovec *all, int pieces, off_t at) { return pwritev64(fd, all, pieces, at); }
