// A logger that is made when it is first used, and writes strings to a list. With BUG two make it.
#include <cassert>
#include <iostream>
#include <list>
#include <mutex>
#include <string>
#include <thread>

int made = 0;

class Logger {
    std::list<std::string> lines;
    std::mutex m;

public:
    Logger() { made++; }
    static Logger &get() {
#ifdef BUG
        static Logger *logger = nullptr;
        if (!logger) logger = new Logger;
        return *logger;
#else
        static Logger logger;
        return logger;
#endif
    }
    void log(const std::string &line) {
        std::lock_guard<std::mutex> lock(m);
        lines.push_back(line + ".");
        std::cout << lines.back() << std::endl;
    }
    size_t size() { return lines.size(); }
};

int main() {
    std::thread other([] { Logger::get().log("other"); });
    Logger::get().log("main");
    other.join();
    assert(made == 1 && Logger::get().size() == 2);
}
