// Makes sandboxes without a program for each: a resident launcher that clones the first process of every sandbox, and the
// drop of privileges, which a prepared interpreter loads as a library (-DLIBRARY) for its own clones.
//
// The launcher accepts a connection, clones, and never reads from it: the clone does. A request is a 32-bit length and
// NUL-ended texts, executed in order (see `steps`). Told back on the connection: "pid N", "ended STATUS" (wait(2)) or
// "failed WHAT", and "over STATUS" of the first process itself; it is closed by everybody once nothing of the sandbox is left.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sock_fprog filter;
static char why[512];

static int failed(const char *what, const char *name) {
    snprintf(why, sizeof why, "%s %s: %s", what, name, strerror(errno));
    return -1;
}

static int write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t written = write(file, text, strlen(text));
    close(file);
    return written == (ssize_t)strlen(text) ? 0 : -1;
}

// Reads the system call filter; a path that is empty means none.
int sandbox_filter(const char *path) {
    static struct sock_filter code[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return failed("open", path);
    ssize_t size = read(file, code, sizeof code);
    close(file);
    if (size <= 0 || size % sizeof *code != 0) return failed("read", path);
    filter.len = size / sizeof *code;
    filter.filter = code;
    return 0;
}

static int map_user(unsigned inside, unsigned outside) {
    char text[64];
    snprintf(text, sizeof text, "%u %u 1", inside, outside);
    if (setgroups(0, NULL) != 0 || setresgid(outside, outside, outside) != 0 || setresuid(outside, outside, outside) != 0)
        return failed("setresuid", text);
    // the maps are written as this user, who may only do so while the process is dumpable
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0 || unshare(CLONE_NEWUSER) != 0) return failed("unshare", "user");
    if (write_text("/proc/self/setgroups", "deny") != 0 || write_text("/proc/self/uid_map", text) != 0 ||
        write_text("/proc/self/gid_map", text) != 0)
        return failed("map", text);
    return 0;
}

static int drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}, {0}};
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return failed("drop", "bounding set");
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return failed("clear", "ambient set");
    return syscall(SYS_capset, &header, none) == 0 ? 0 : failed("capset", "");
}

// Makes this process the sandbox's program: its lines are "limit RESOURCE SOFT HARD", "uid INSIDE OUTSIDE" and "cwd PATH".
// What comes after is no line of ours and ends it. 0, or -1 with sandbox_why().
int sandbox_become(const char *lines) {
    unsigned long long resource, soft, hard;
    unsigned inside = 0, outside = 0;
    char cwd[4096] = "/";
    for (const char *line = lines; line != NULL && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (sscanf(line, "limit %llu %llu %llu", &resource, &soft, &hard) == 3) {
            struct rlimit limit = {soft, hard};
            if (setrlimit(resource, &limit) != 0) return failed("limit", line);
        } else if (sscanf(line, "uid %u %u", &inside, &outside) != 2 && sscanf(line, "cwd %4095[^\n]", cwd) != 1)
            break;
    }
    if (outside == 0) return errno = EINVAL, failed("no", "uid");
    if (setsid() < 0 && errno != EPERM) return failed("setsid", "");
    if (map_user(inside, outside) != 0 || drop_capabilities() != 0) return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return failed("prctl", "");
    umask(022);
    if (chdir(cwd) != 0) return failed("chdir", cwd);
    if (filter.len > 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) return failed("seccomp", "");
    return 0;
}

const char *sandbox_why(void) { return why; }

int sandbox_close(unsigned first, unsigned last) { return first > last ? 0 : syscall(SYS_close_range, first, last, 0); }

#ifndef LIBRARY

#define CONTROL 3
#define MOST_TEXTS 4096
#define MOST_BYTES (64 << 20)
#define NAMESPACES (CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET)

static const char *root;  // where the new root is put together
static char *text[MOST_TEXTS], *arguments[1024], *environment[1024];
static size_t lengths[MOST_TEXTS];
static int owner, texts, argument_count, environment_count, given[16], given_count, groups[8], group_count, zygote = -1, keep;
static const char *becoming = "";

static void tell(const char *format, const char *what) {
    char line[700];
    int size = snprintf(line, sizeof line, format, what);
    if (write(CONTROL, line, size) < 0) _exit(125);
}

static void give_up(const char *what, const char *name) {
    if (what != NULL) failed(what, name);
    tell("failed %s\n", why);
    _exit(125);
}

static int read_all(void *into, size_t size) {
    for (char *at = into; size > 0;) {
        ssize_t part = read(CONTROL, at, size);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return -1;
        at += part, size -= part;
    }
    return 0;
}

static void read_request(void) {
    uint32_t size;
    if (read_all(&size, sizeof size) != 0) _exit(0);
    if (size > MOST_BYTES) errno = E2BIG, give_up("request", "");
    char *body = malloc(size + 1);
    if (body == NULL || read_all(body, size) != 0) _exit(0);
    body[size] = 0;
    // a file's content is the one text that may hold NULs: "file", path, mode, length, content
    for (char *at = body; at < body + size && texts < MOST_TEXTS; texts++) {
        text[texts] = at;
        lengths[texts] = texts >= 4 && strcmp(text[texts - 4], "file") == 0 ? strtoul(text[texts - 1], NULL, 10) : strlen(at);
        at += lengths[texts] + 1;
    }
    if (texts == MOST_TEXTS) errno = E2BIG, give_up("request", "");
}

// A path beneath the new root; its folders are made, and are the owner's once there is one.
static const char *beneath(const char *path) {
    static char full[8192];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        int made = mkdir(full, 0755);
        if (made != 0 ? errno != EEXIST : owner != 0 && chown(full, owner, owner) != 0) give_up("mkdir", full);
        *slash = '/';
    }
    return full;
}

static void mount_at(const char *source, const char *path, const char *type, unsigned long flags, const char *options) {
    const char *target = beneath(path);
    struct stat facts;
    if (stat(source, &facts) == 0 && !S_ISDIR(facts.st_mode) && (flags & MS_BIND)) {
        int file = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
        if (file >= 0) close(file);
    } else if (mkdir(target, 0755) != 0 && errno != EEXIST)
        give_up("mkdir", path);
    if (mount(source, target, type, flags, options) != 0) give_up("mount", path);
}

// A file of a fresh /work, before any program has run: its folders are made, and all of it is the owner's.
static void write_file(const char *path, mode_t mode, const char *bytes, size_t size) {
    int file = open(beneath(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || fchmod(file, mode) != 0 || fchown(file, owner, owner) != 0)
        give_up("file", path);
    close(file);
}

static void loopback_up(void) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    int channel = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel < 0 || ioctl(channel, SIOCSIFFLAGS, &request) != 0) give_up("loopback", "");
    close(channel);
}

static void enter_root(void) {
    if (chdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) give_up("pivot_root", root);
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) give_up("umount", "/");
}

static int local_socket(const char *path, int listening) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (channel < 0) return -1;
    if (listening) return bind(channel, (struct sockaddr *)&address, sizeof address) == 0 && listen(channel, 4096) == 0 ? channel : -1;
    return connect(channel, (struct sockaddr *)&address, sizeof address) == 0 ? channel : -1;
}

static void join_group(const char *path) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, "0", 1) != 1 || group_count == 8) give_up("cgroup", path);
    groups[group_count++] = file;
}

static void open_given(const char *path, const char *way) {
    int file = open(path, *way == 'r' ? O_RDONLY | O_CLOEXEC : O_WRONLY | O_CLOEXEC);
    if (file < 0 || given_count == 16) give_up("open", path);
    given[given_count++] = file;
}

// Executes one step of the request; gives how many texts it took.
static int step(int at) {
    const char *name = text[at], *first = text[at + 1], *second = text[at + 2];
    if (!strcmp(name, "open")) return open_given(first, second), 3;
    if (!strcmp(name, "begun")) return tell("%s\n", "begun"), 1;
    if (!strcmp(name, "cgroup")) return join_group(first), 2;
    if (!strcmp(name, "filter")) return sandbox_filter(first) != 0 ? give_up(NULL, ""), 0 : 2;
    if (!strcmp(name, "tmpfs")) return mount_at("tmpfs", first, "tmpfs", MS_NOSUID | MS_NODEV, second), 3;
    if (!strcmp(name, "device")) return mount_at(first, first, NULL, MS_BIND, NULL), 2;
    if (!strcmp(name, "bind")) return mount_at(first, second, NULL, MS_BIND, NULL), 3;
    if (!strcmp(name, "readonly"))
        return mount(NULL, beneath(first), NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID, NULL) != 0 ? give_up("remount", first), 0 : 2;
    if (!strcmp(name, "proc")) return mount_at("proc", first, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), 2;
    if (!strcmp(name, "devpts")) return mount_at("devpts", first, "devpts", MS_NOSUID | MS_NOEXEC, second), 3;
    if (!strcmp(name, "symlink")) return symlink(first, beneath(second)) != 0 ? give_up("symlink", second), 0 : 3;
    if (!strcmp(name, "file")) return write_file(first, strtoul(second, NULL, 8), text[at + 4], lengths[at + 4]), 5;
    if (!strcmp(name, "owner")) return owner = strtoul(first, NULL, 10), 2;
    if (!strcmp(name, "hostname")) return sethostname(first, strlen(first)) != 0 ? give_up("hostname", first), 0 : 2;
    if (!strcmp(name, "loopback")) return loopback_up(), 1;
    if (!strcmp(name, "listen")) return (given[given_count++] = local_socket(first, 1)) < 0 ? give_up("listen", first), 0 : 2;
    if (!strcmp(name, "zygote")) return (zygote = local_socket(first, 0)) < 0 ? give_up("connect", first), 0 : 2;
    if (!strcmp(name, "root")) return enter_root(), 1;
    if (!strcmp(name, "become")) return becoming = first, 2;
    if (!strcmp(name, "argument") && argument_count < 1023) return arguments[argument_count++] = text[at + 1], 2;
    if (!strcmp(name, "environment") && environment_count < 1023) return environment[environment_count++] = text[at + 1], 2;
    return errno = EINVAL, give_up("step", name), 0;
}

// Descriptors 0, 1 and 2, and a link at 7 and 8, are what was opened, in that order.
static void place_descriptors(void) {
    static const int places[] = {0, 1, 2, 7, 8};
    for (int index = 0; index < given_count; index++)  // out of the way first
        if ((given[index] = fcntl(given[index], F_DUPFD_CLOEXEC, 64)) < 0) give_up("descriptor", "");
    for (int index = 0; index < given_count && index < 5; index++)
        if (dup2(given[index], places[index]) < 0) give_up("descriptor", "");
}

static void execute(void) {
    place_descriptors();
    if (!keep && sandbox_become(becoming) != 0) give_up(NULL, "");
    if (!keep) fcntl(CONTROL, F_SETFD, FD_CLOEXEC);
    environ = environment;  // its PATH says where the program is
    execvp(arguments[0], arguments);
    dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

// A prepared interpreter makes the program: it gets what was opened, the connection and the cgroups.
static void ask_zygote(void) {
    int all[32], count = 0;
    char control[CMSG_SPACE(sizeof all)] = {0};
    all[count++] = syscall(SYS_pidfd_open, getpid(), 0);
    if (all[0] < 0) give_up("pidfd", "");
    all[count++] = CONTROL;
    for (int index = 0; index < group_count; index++) all[count++] = groups[index];
    for (int index = 0; index < given_count; index++) all[count++] = given[index];
    struct iovec part = {(void *)becoming, strlen(becoming)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), all, count * sizeof(int));
    if (sendmsg(zygote, &message, MSG_NOSIGNAL) != (ssize_t)strlen(becoming)) give_up("zygote", "");
}

// The first process of a sandbox: nobody's user, so that the program, whose end ends all that it left behind, cannot touch it.
static void watch(pid_t program) {
    char line[32];
    int status;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (dup2(CONTROL, 0) < 0) _exit(125);
    sandbox_close(CONTROL + 1, ~0U);
    close(1), close(2);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}, {0}};
    if (setgroups(0, NULL) != 0 || setresgid(60999, 60999, 60999) != 0 || setresuid(60999, 60999, 60999) != 0 ||
        syscall(SYS_capset, &header, none) != 0)
        _exit(125);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (program == 0) signal(SIGCHLD, SIG_IGN);  // what is orphaned is nobody's: the kernel reaps it
    for (;;) {
        pid_t gone = waitpid(-1, &status, 0);
        if (gone < 0 && errno == ECHILD) pause();  // the program is a zygote's child, who ends this one after it
        if (gone != program || program == 0) continue;
        snprintf(line, sizeof line, "ended %d\n", status);
        _exit(write(CONTROL, line, strlen(line)) < 0);
    }
}

static void first_process(int connection) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (dup2(connection, CONTROL) < 0) _exit(125);
    sandbox_close(CONTROL + 1, ~0U);
    read_request();
    umask(0);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) give_up("private", "/");
    for (int at = 0; at < texts;) at += step(at);
    if (zygote >= 0) {
        ask_zygote();
        watch(0);
    }
    if (keep) execute();
    pid_t program = fork();
    if (program < 0) give_up("fork", "");
    if (program == 0) execute();
    watch(program);
}

static struct { pid_t pid; int connection; } living[65536];
static int living_count;

static void accept_one(int listener, int kept) {
    char line[32];
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) {
        if (errno == EMFILE || errno == ENFILE) usleep(10000);
        return;
    }
    keep = kept;
    pid_t pid = living_count < 65536 ? syscall(SYS_clone, NAMESPACES | (kept ? 0 : CLONE_NEWPID) | SIGCHLD, 0, 0, 0, 0) : -1;
    if (pid == 0) first_process(connection);
    snprintf(line, sizeof line, pid < 0 ? "failed clone %d\n" : "pid %d\n", pid < 0 ? errno : pid);
    if (send(connection, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 || pid < 0) {
        if (pid < 0) return (void)close(connection);
    }
    living[living_count].pid = pid;
    living[living_count++].connection = connection;
}

static void reap(void) {
    char line[32];
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int index = 0; index < living_count; index++)
            if (living[index].pid == pid) {
                snprintf(line, sizeof line, "over %d\n", status);
                send(living[index].connection, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
                close(living[index].connection);
                living[index] = living[--living_count];
                break;
            }
}

// launcher ROOT SANDBOXES ZYGOTES: ends, and everything with it, when its standard input does.
int main(int count, char **values) {
    if (count != 4) return fprintf(stderr, "usage: launcher ROOT SANDBOXES ZYGOTES\n"), 2;
    root = values[1];
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    struct pollfd watched[] = {{0, POLLIN, 0}, {signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0},
                               {local_socket(values[2], 1), POLLIN, 0}, {local_socket(values[3], 1), POLLIN, 0}};
    for (int index = 1; index < 4; index++)
        if (watched[index].fd < 0) return perror("launcher"), 1;
    if (write(1, "ready\n", 6) != 6) return 1;
    for (;;) {
        if (poll(watched, 4, -1) < 0) continue;
        struct signalfd_siginfo told;
        if (watched[1].revents) while (read(watched[1].fd, &told, sizeof told) > 0);
        reap();
        if (watched[2].revents) accept_one(watched[2].fd, 0);
        if (watched[3].revents) accept_one(watched[3].fd, 1);
        if (watched[0].revents) return 0;
    }
}
#endif
