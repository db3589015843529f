// Charts and a clock behind terminal.h for CandlePusher, controlled by one command a line on standard input:
//
//   set NAME VALUE      an input of the EA, or one of: ago (seconds that the clock is late), offset (hours that the
//                       server's clock is ahead of UTC), bars (how many each chart has), loading (0 or 1)
//   start               OnDeinit when it ran, then OnInit
//   look                OnTimer
//   pass SECONDS        advances the clock
//
// It answers like terminal.cpp.
#include "terminal.h"
#include <iostream>

#include "kit.cpp"

namespace {

datetime now = 0;
ulong ticks = 0;
long offset = 2 * 3600;
int bars = 1000, error = 0;
bool started = false, loading = false;

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20) snprintf(escaped, sizeof escaped, "\\u%04x", c), out += escaped;
    else out += c;
  }
  return out + '"';
}

void tell(const std::string &line) { std::cout << line << std::endl; }

std::string readLine() {
  std::string line;
  if (!std::getline(std::cin, line)) std::exit(0);
  return line;
}

long secondsOf(ENUM_TIMEFRAMES period) {
  switch (period) {
    case PERIOD_M1: return 60;
    case PERIOD_M5: return 300;
    case PERIOD_M15: return 900;
    case PERIOD_M30: return 1800;
    case PERIOD_H1: return 3600;
    default: return 86400;
  }
}

// The bar `index` places before the forming one.
MqlRates barAt(ENUM_TIMEFRAMES period, int index) {
  const long seconds = secondsOf(period), at = (TimeCurrent() / seconds - index) * seconds;
  const double base = 100.0 + double((at - offset) / 60 % 1000) / 100;
  // The forming bar has not reached its high.
  return {at, base, base + (index == 0 ? 0.1 : 0.5), base - 0.25, base + 0.1, index == 0 ? 1 : 50};
}

void set(const std::string &name, const std::string &value) {
  if (name == "InpApiUrl") InpApiUrl = string(value);
  else if (name == "InpFeedToken") InpFeedToken = string(value);
  else if (name == "InpServerClock") InpServerClock = string(value);
  else if (name == "InpSymbols") InpSymbols = string(value);
  else if (name == "InpTimeframes") InpTimeframes = string(value);
  else if (name == "InpAlso") InpAlso = string(value);
  else if (name == "InpHistory") InpHistory = std::stoi(value);
  else if (name == "ago") now = time(nullptr) - std::stol(value);
  else if (name == "offset") offset = std::lround(std::stod(value) * 3600);
  else if (name == "bars") bars = std::stoi(value);
  else if (name == "loading") loading = value == "1";
  else throw std::runtime_error("nothing is called " + name);
}

} // namespace

const string _Symbol = "BTCUSDm";
const int _Period = PERIOD_M1, _Digits = 2;

datetime TimeCurrent() { return now + offset; }
uint GetTickCount() { return uint(ticks); }
bool EventSetTimer(int seconds) { return tell("timer " + std::to_string(seconds)), true; }
void EventKillTimer() {}
void printed(const std::string &text) { tell("printed " + quoted(text)); }
void charted(const std::string &text) { tell("chart " + quoted(text)); }
void ResetLastError() { error = 0; }
int GetLastError() { return error; }

int WebRequest(const string &method, const string &url, const string &headers, int, const Dynamic<char> &sent,
               Dynamic<char> &received, string &receivedHeaders) {
  tell("request " + method.s + " " + url.s);
  tell(quoted(headers.s));
  tell(quoted(std::string(sent.v.begin(), sent.v.end())));
  const int status = std::stoi(readLine());
  std::string head = readLine();
  for (size_t at; (at = head.find('|')) != std::string::npos;) head.replace(at, 1, "\r\n");
  receivedHeaders = string(head);
  const std::string body = readLine();
  received.v.assign(body.begin(), body.end());
  if (status != 0) return status;
  error = 5203;
  return -1;
}

string EnumToString(ENUM_TIMEFRAMES) { return "PERIOD_M1"; }
bool SymbolSelect(const string &symbol, bool) { return symbol != "NOTHERE"; }
int iBars(const string &, ENUM_TIMEFRAMES) { return bars; }
int iBarShift(const string &, ENUM_TIMEFRAMES period, datetime at) {
  const long seconds = secondsOf(period);
  return std::min(bars - 1, int(TimeCurrent() / seconds - at / seconds));
}
int CopyRates(const string &, ENUM_TIMEFRAMES period, int from, int count, Dynamic<MqlRates> &rates) {
  rates.v.clear();
  if (loading) return -1;
  // Oldest first, at most as many as exist.
  for (int i = std::min(bars - 1, from + count - 1); i >= from; i--) rates.v.push_back(barAt(period, i));
  return ArraySize(rates);
}

int main() {
  now = time(nullptr);
  for (;;) {
    std::istringstream line(readLine());
    std::string command, name, value;
    line >> command >> name;
    std::getline(line >> std::ws, value);
    if (command == "set") set(name, value);
    else if (command == "start") {
      if (started) OnDeinit(0);
      started = true;
      tell("init " + std::to_string(OnInit()));
    } else if (command == "look") OnTimer();
    else if (command == "pass") now += std::stol(name), ticks += std::stoul(name) * 1000;
    else throw std::runtime_error("no such command: " + command);
    tell("done");
  }
}
