/// A language that code is generated for.
package enum Language: String, Sendable, CaseIterable {
    case swift
    case c
    case python
}

/// How a language has names.
struct Habits {
    /// Of a model's type.
    let type: (Words) -> String
    /// Of a column's property.
    let property: (Words) -> String
    /// What is put between a name and the number that tells it from another.
    let separator: String
    /// Types that generated code uses or the language has.
    let takenTypes: Set<String>
    /// Names that no property can have.
    let takenProperties: Set<String>
    /// What a taken name gets behind it.
    let typeSuffix: String
    let propertySuffix: String
    /// What no type's name begins and ends with.
    var takenFirstWords: Set<String> = []
    var takenEndings: [String] = []
    /// What is made of a type's name, and of that of the code as a whole, ends with.
    var typeEndings: [String] = []
    var wholeEndings: [String] = []
}

extension Language {
    var habits: Habits {
        switch self {
        case .swift:
            Habits(
                type: \.upperCamel, property: \.lowerCamel, separator: "", takenTypes: swiftTypes,
                takenProperties: ["self", "super", "init", "recordSource"], typeSuffix: "Record",
                propertySuffix: "Value")
        case .c:
            Habits(
                type: \.snake, property: \.snake, separator: "_", takenTypes: cKeywords.union(cLibrary),
                takenProperties: cKeywords.union(cMacros).union(cFields), typeSuffix: "_record", propertySuffix: "_",
                takenFirstWords: ["corm"], takenEndings: ["_t"], typeEndings: ["_columns", "_keys", "_references"],
                wholeEndings: ["_create", "_free"])
        case .python:
            Habits(
                type: \.upperCamel, property: \.snake, separator: "_", takenTypes: pythonTypes,
                takenProperties: pythonKeywords.union(pythonNames), typeSuffix: "Record", propertySuffix: "_")
        }
    }
}

private func words(_ text: String) -> Set<String> { Set(text.split(whereSeparator: \.isWhitespace).map(String.init)) }

/// Those that can be names in backticks.
let swiftKeywords = words(
    """
    Any Protocol Self Type as associatedtype await break case catch class continue default defer deinit do else enum
    extension fallthrough false fileprivate for func guard if import in inout internal is let nil operator
    precedencegroup private protocol public repeat rethrows return static struct subscript switch throw throws true try
    typealias var where while
    """)

private let swiftTypes = words(
    """
    Any AnyObject Array Bool CaseIterable Character Codable Column ColumnValue Columns Comparable Cormorant CormorantError Database DecimalText
    Dictionary Double Duration Equatable Error Float Hashable Identifiable Ignored Int Int16 Int32 Int64 Int8 JSONText Key
    LocalDate LocalTime Model ModelDescriptor Never OffsetTimestamp Optional Protocol Range Record References Relation Result Self Sendable Set String Substring Swift
    Task Timestamp ToMany ToOne Type UInt UInt16 UInt32 UInt64 UInt8 UUIDBytes Void
    """)

/// Of C and of C++, for a header is read by both.
private let cKeywords = words(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
    complex concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if imaginary inline int long
    mutable namespace new noexcept noreturn not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch template
    this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile
    wchar_t while xor xor_eq
    """)

/// Macros of usual headers that are in small letters.
private let cMacros = words(
    "assert environ errno i386 linux major makedev minor offsetof setjmp stderr stdin stdout unix va_arg va_copy va_end"
)

/// Types of fields, which a field of that name would hide from those behind it.
private let cFields = words(
    """
    corm_blob corm_date corm_datetime corm_duration corm_offset_datetime corm_optional_bool corm_optional_double corm_optional_float corm_optional_int32
    corm_optional_int64 corm_optional_offset_datetime corm_optional_uuid corm_time corm_uuid int32_t int64_t
    """)

/// Types and functions of the C library and of POSIX that are plain words, which a type's name would clash with; before
/// them parameters of generated functions, which would hide a type, and what its constant would be a macro or another of.
private let cLibrary = cMacros.union(
    words(
        """
        arena count database definitions h i iovec lconv models out_error out_record out_records query relation relations
        sigval status timespec timeval tm values
        abort abs accept access acos alarm alphasort asctime asin atan atexit atof atoi atol basename bcmp bcopy bind brk
        bsearch bzero calloc cbrt ceil chdir chmod chown chroot clearenv clearerr clock clone close closedir confstr connect
        copysign cos cosh creat crypt ctime daemon daylight difftime dirname div dprintf drand48 drem dup dup2
        encrypt erand48 erf errc error exec execl execv exit exp fabs fchdir fclose fcntl fdim feof ferror fflush ffs fgetc
        fgets fileno flock floor fma fmax fmin fmod fopen fork fpathconf fprintf fputc fputs fread free freopen frexp fscanf
        fseek fstat fsync ftell ftime ftok ftruncate ftw fwrite gamma getc getchar getcwd getdate getegid getenv getgid
        getlogin getopt getpass getpid gets getuid getw glob gmtime grantpt hash htonl htons hypot ilogb index initgroups
        initstate insque ioctl isalnum isalpha isascii isatty isblank iscntrl isdigit isgraph islower isprint ispunct
        isspace isupper isxdigit kill killpg labs lchown ldexp ldiv lfind lgamma link listen llabs lldiv localtime lockf log
        log10 log2 logb longjmp lrand48 lrint lround lsearch lseek lstat main malloc mblen mbstowcs mbtowc memccpy memchr
        memcmp memcpy memmem memmove memset mkdir mkdtemp mkfifo mknod mkstemp mktemp mktime mlock mmap modf
        mount mprotect mrand48 msync munlock munmap nan nanosleep nearbyint nextafter nice nrand48 ntohl ntohs open opendir
        openlog optarg opterr optind pathconf pause pclose perror personality pipe poll popen pow pread printf profil pselect
        psignal ptrace putc putchar putenv puts putw pwrite qsort quick_exit raise rand random read readdir readlink readv
        realloc realpath reboot recv recvfrom recvmsg regcomp regex regexec regfree remainder remove remquo remque rename
        revoke rewind rewinddir rindex rint rmdir round sbrk scalb scandir scanf seed48 seekdir select send sendmsg sendto
        setbuf setenv setgid setlogmask setpgid setsid setsockopt setstate setuid setvbuf shutdown sigaction signal
        significand sin sinh sleep socket socketpair sprintf sqrt srand srandom sscanf stat stime stpcpy strcat strchr strcmp
        strcoll strcpy strcspn strdup strerror strftime string strlen strncat strncmp strncpy strpbrk strrchr strsep strspn
        strstr strtod strtok strtol strxfrm swab swap symlink sync syscall sysconf sysinfo syslog system tan tanh telldir
        tempnam tgamma time timegm timelocal timer times timezone tmpfile tmpnam toascii tolower toupper trunc truncate
        ttyname tzname tzset ualarm umask umount uname ungetc unlink unlockpt unsetenv usleep utime utimes valloc vfork
        vprintf wait waitid waitpid warn warnx wcscat wcschr wcslen write writev y0 y1 yn j0 j1 jn
        """))

/// What `#include` would find in a generated folder instead.
let cHeaders = words(
    """
    assert complex cormorant ctype errno fenv float inttypes limits locale math setjmp signal stdalign
    stdarg stdatomic stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings threads time uchar unistd wchar
    wctype
    """)

private let pythonKeywords = words(
    """
    False None True and as assert async await break class continue def del elif else except finally for from global if in
    is import lambda nonlocal not or pass raise return try while with yield
    """)

private let pythonTypes = words(
    """
    Any Column Database Decimal False Key Literal Model Models None Reference Self True UUID annotations
    column datetime many_to_many staticmethod
    """)

/// What the body of a model's class uses, and what a model has of its own.
private let pythonNames = words(
    """
    Any Column attached bool bytes changes cls column database datetime delete dict find float insert int list
    many_to_many object pydantic refresh save self staticmethod str suffixed super to_many to_one type unscoped
    update update_changes where
    """)
