// The market, the account and the clock behind terminal.h, of MetaTrader 5 or, with __MQL4__, of MetaTrader 4, controlled
// by one command a line on standard input:
//
//   set NAME VALUE      an input of the EA, or one of: bid, ago (seconds that the clock is late), netting (0 or 1),
//                       refuses (0 or 1), frozen (0 or 1: no quotes arrive), skew (seconds that the machine's clock
//                       is ahead), spread, walks (0 or 1: prices move as time passes), seed, account (number),
//                       symbols (all that the broker has, with blanks), testing (0 or 1: it is the Strategy Tester),
//                       utc (a time), balance, file (NAME, then its text as one JSON string)
//   start               OnDeinit when it ran, then OnInit, as after a change of inputs
//   look                OnTimer
//   pass SECONDS        advances the clock; in the Strategy Tester with OnTick every minute
//   count               prints how many positions are open and closed
//   foreign             opens a position of the chart's symbol that is not the EA's
//   close REASON PRICE  closes the oldest position; REASON is client, sl or tp
//   forget              deletes the terminal's global variables
//
// Each is answered by lines for its events (`order`, `printed`, `chart`, `timer`) and `done`. A request of the EA is written
// as `request METHOD URL`, its headers and its body, each on a line as JSON text, and answered by three lines: the
// status (0: no answer), the headers joined by `|`, and the body.
#include "terminal.h"
#include <iostream>

#include "kit.cpp"

namespace {

#ifdef __MQL4__
enum { POSITION_TYPE_BUY, POSITION_TYPE_SELL };
enum { DEAL_ENTRY_IN, DEAL_ENTRY_OUT };
enum { DEAL_REASON_CLIENT, DEAL_REASON_EXPERT = 3, DEAL_REASON_SL, DEAL_REASON_TP, DEAL_REASON_SO };
constexpr ulong FIRST_TICKET = 700700700;
#else
constexpr ulong FIRST_TICKET = 9007199254740993; // larger than doubles can hold exactly
#endif

struct Position {
  ulong ticket;
  long magic;
  datetime at;
  int type;
  double price, volume;
  string symbol, comment;
  double stop = 0.0, target = 0.0;
};
struct Deal {
  ulong ticket, position;
  long entry, magic, type, reason;
  datetime at;
  double volume, price, profit, swap, commission, fee;
  string symbol, comment;
};

constexpr long SERVER_OFFSET = 2 * 3600;
constexpr double CONTRACT = 1.0;

datetime now = 0;
ulong ticks = 0;
double bid = 90000.0, spread = 1.0, balance = 10000.0;
long skew = 0, account = 5012345;
bool walks = false, testing = false;
uint64_t seed = 1;
std::map<std::string, double> bids;
std::vector<std::string> symbols = {"BTCUSDm"};
std::map<std::string, std::string> files;
std::istringstream reading;
bool netting = false, refuses = false, started = false;
int error = 0, selected = 0;
bool frozen = false;
datetime lastQuote = 0;
ulong nextTicket = FIRST_TICKET;
ulong magicOfOrders = 0;
std::vector<Position> positions;
std::vector<Deal> deals;
std::vector<const Deal *> history;
// A closed position as in MetaTrader 4's history.
struct Closed { Position was; datetime at; double price; long reason; };
std::vector<Closed> closed;
datetime serverTime() { return now + SERVER_OFFSET; }
std::map<std::string, double> variables;

double bidOf(const string &symbol) {
  const auto found = bids.find(symbol.s);
  return found == bids.end() ? bid : found->second;
}

long secondsOf(int period) {
  switch (period) {
    case PERIOD_M1: return 60;
    case PERIOD_M5: return 300;
    case PERIOD_M15: return 900;
    case PERIOD_M30: return 1800;
    case PERIOD_H4: return 14400;
    case PERIOD_D1: return 86400;
    default: return 3600;
  }
}

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

bool open(const string &symbol, int type, double volume, double stop, double target, const string &comment) {
  if (refuses) return false;
  const double price = type == POSITION_TYPE_BUY ? bidOf(symbol) + spread : bidOf(symbol);
  const ulong ticket = nextTicket++;
  positions.push_back({ticket, long(magicOfOrders), serverTime(), type, price, volume, symbol, comment, stop, target});
  deals.push_back({ticket + 1000, ticket, DEAL_ENTRY_IN, long(magicOfOrders), type, DEAL_REASON_EXPERT, serverTime(),
                   volume, price, 0.0, 0.0, -0.5, -0.1, symbol, comment});
  std::ostringstream order;
  order.precision(12);
  order << "order {\"buys\":" << (type == POSITION_TYPE_BUY ? "true" : "false") << ",\"price\":" << price
        << ",\"volume\":" << volume << ",\"stop\":" << stop << ",\"target\":" << target << ",\"magic\":" << magicOfOrders
        << ",\"symbol\":" << quoted(symbol.s) << ",\"comment\":" << quoted(comment.s) << "}";
  tell(order.str());
  return true;
}

void close(size_t index, long reason, double price) {
  const Position was = positions.at(index);
  positions.erase(positions.begin() + long(index));
  closed.push_back({was, serverTime(), price, reason});
  const double moved = was.type == POSITION_TYPE_BUY ? price - was.price : was.price - price;
  balance += moved * was.volume * CONTRACT - 1.3;
  // Closes have the broker's comment, and only those by an EA have a magic number.
  deals.push_back({was.ticket + 2000, was.ticket, DEAL_ENTRY_OUT, reason == DEAL_REASON_EXPERT ? was.magic : 0, 1 - was.type,
                   reason, serverTime(), was.volume, price, moved * was.volume * CONTRACT, -0.2, -0.5, 0.0, was.symbol,
                   "[closed]"});
}

const Deal &dealOf(ulong ticket) {
  for (const Deal &deal : deals)
    if (deal.ticket == ticket) return deal;
  throw std::runtime_error("no such deal");
}

double equity() {
  double sum = balance;
  for (const Position &p : positions) {
    const double out = p.type == POSITION_TYPE_BUY ? bidOf(p.symbol) : bidOf(p.symbol) + spread;
    sum += (p.type == POSITION_TYPE_BUY ? out - p.price : p.price - out) * p.volume * CONTRACT;
  }
  return sum;
}

// One minute of the market: every price moves a step, and the broker closes positions whose stop or target it reaches.
void walk() {
  for (const std::string &symbol : symbols) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    const double step = (double(seed >> 33) / double(1ull << 31) - 0.5) * 120.0;
    bids[symbol] = bidOf(string(symbol)) + step;
  }
  for (size_t i = positions.size(); i-- > 0;) {
    const Position &p = positions[i];
    const bool buys = p.type == POSITION_TYPE_BUY;
    const double out = buys ? bidOf(p.symbol) : bidOf(p.symbol) + spread;
    if (p.stop > 0.0 && (buys ? out <= p.stop : out >= p.stop)) close(i, DEAL_REASON_SL, p.stop);
    else if (p.target > 0.0 && (buys ? out >= p.target : out <= p.target)) close(i, DEAL_REASON_TP, p.target);
  }
}

std::string unquoted(const std::string &text) {
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); i++)
    if (text[i] == '\\') out += text[++i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i];
    else out += text[i];
  return out;
}

void set(const std::string &name, const std::string &value) {
  if (name == "InpApiUrl") InpApiUrl = string(value);
  else if (name == "InpApiKey") InpApiKey = string(value);
#ifdef TRADER
  else if (name == "InpSymbols") InpSymbols = string(value);
  else if (name == "InpMaxDailyLossPct") InpMaxDailyLossPct = std::stod(value);
  else if (name == "InpMaxDrawdownPct") InpMaxDrawdownPct = std::stod(value);
  else if (name == "InpMaxPositions") InpMaxPositions = std::stoi(value);
  else if (name == "InpMaxSpreadPct") InpMaxSpreadPct = std::stod(value);
  else if (name == "InpNoTradeTimes") InpNoTradeTimes = string(value);
  else if (name == "InpMinConfidence") InpMinConfidence = std::stod(value);
  else if (name == "InpTesterFiles") InpTesterFiles = string(value);
  else if (name == "InpTesterClock") InpTesterClock = string(value);
  else if (name == "InpTesterLate") InpTesterLate = value == "1";
#else
  else if (name == "InpSymbol") InpSymbol = string(value);
#endif
  else if (name == "InpWaitSeconds") InpWaitSeconds = std::stoi(value);
  else if (name == "bid") bid = std::stod(value);
  else if (name == "ago") now = time(nullptr) - std::stol(value);
  else if (name == "netting") netting = value == "1";
  else if (name == "refuses") refuses = value == "1";
  else if (name == "frozen") frozen = value == "1";
  else if (name == "skew") skew = std::stol(value);
  else if (name == "spread") spread = std::stod(value);
  else if (name == "balance") balance = std::stod(value);
  else if (name == "walks") walks = value == "1";
  else if (name == "testing") testing = value == "1";
  else if (name == "seed") seed = std::stoull(value);
  else if (name == "account") account = std::stol(value);
  else if (name == "utc") now = StringToTime(string(value));
  else if (name == "symbols") {
    symbols.clear();
    std::istringstream in(value);
    for (std::string symbol; in >> symbol;) symbols.push_back(symbol);
  } else if (name == "file") {
    const size_t at = value.find(' ');
    files[value.substr(0, at)] = unquoted(value.substr(at + 1));
  }
  else throw std::runtime_error("nothing is called " + name);
}

} // namespace

const string _Symbol = "BTCUSDm";
const int _Period = 16385, _Digits = 2;

datetime TimeGMT() { return now + skew; }
int MQLInfoInteger(int) { return testing; }
int FileOpen(const string &name, int) {
  const auto found = files.find(name.s);
  if (found == files.end()) return INVALID_HANDLE;
  reading.clear();
  reading.str(found->second);
  return 1;
}
bool FileIsEnding(int) { return reading.peek() == EOF; }
string FileReadString(int) {
  std::string line;
  std::getline(reading, line);
  return string(line);
}
void FileClose(int) {}
#ifdef __MQL4__
datetime TimeCurrent() { return frozen ? lastQuote : lastQuote = serverTime(); }
// MetaTrader 4's counter has 32 bits. It starts shortly before its overflow.
uint GetTickCount() { return uint(ticks + 4294960000); }
#else
datetime TimeCurrent() { return serverTime(); }
datetime TimeTradeServer() { return serverTime() + skew; }
ulong GetTickCount64() { return ticks; }
#endif
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

bool GlobalVariableCheck(const string &name) { return variables.count(name.s) > 0; }
double GlobalVariableGet(const string &name) { return variables[name.s]; }
int GlobalVariablesDeleteAll(const string &prefix) {
  return int(std::erase_if(variables, [&](const auto &entry) { return entry.first.rfind(prefix.s, 0) == 0; }));
}
datetime GlobalVariableSet(const string &name, double value) {
  if (name.s.size() > 63) throw std::length_error("a name of more than 63 letters");
  return variables[name.s] = value, now;
}

string EnumToString(ENUM_TIMEFRAMES) { return "PERIOD_H1"; }
int PeriodSeconds(ENUM_TIMEFRAMES) { return 3600; }
int CopyRates(const string &symbol, ENUM_TIMEFRAMES period, int, int count, Dynamic<MqlRates> &rates) {
  rates.v.clear();
  const double bid = bidOf(symbol);
  // Candles of different ranges, the last one much longer, so that a plain average and Wilder's differ clearly.
  for (int i = 0; i < count; i++) {
    const double size = i == count - 1 ? 900.0 : 100.0 + 10.0 * (i % 7);
    rates.v.push_back({now - (count - i) * secondsOf(period), bid, bid + size, bid - size, bid + size / 2, 1});
  }
  return count;
}
int iBarShift(const string &, ENUM_TIMEFRAMES period, datetime at) { return int((serverTime() - at) / secondsOf(period)); }
bool SymbolSelect(const string &symbol, bool) {
  return std::find(symbols.begin(), symbols.end(), symbol.s) != symbols.end();
}
int SymbolsTotal(bool) { return int(symbols.size()); }
string SymbolName(int index, bool) { return string(symbols.at(size_t(index))); }
// A symbol that begins with an x is listed but not tradable.
long SymbolInfoInteger(const string &symbol, ENUM_SYMBOL_INFO_INTEGER what) {
  if (what == SYMBOL_DIGITS) return _Digits;
  return symbol.s[0] == 'x' ? SYMBOL_TRADE_MODE_DISABLED : SYMBOL_TRADE_MODE_FULL;
}
double SymbolInfoDouble(const string &symbol, ENUM_SYMBOL_INFO_DOUBLE what) {
  switch (what) {
    case SYMBOL_ASK: return bidOf(symbol) + spread;
    case SYMBOL_BID: return bidOf(symbol);
    case SYMBOL_VOLUME_MAX: return 100.0;
    default: return 0.01;
  }
}

// SHA-256 by FIPS 180-4.
int CryptEncode(int, const Dynamic<uchar> &data, const Dynamic<uchar> &, Dynamic<uchar> &result) {
  uint32_t k[64], h[8];
  const auto root = [](double prime, int n) {
    const long double value = n == 2 ? std::sqrt((long double)prime) : std::cbrt((long double)prime);
    return uint32_t((value - std::floor(value)) * 4294967296.0L);
  };
  for (int found = 0, number = 2; found < 64; number++) {
    bool prime = true;
    for (int i = 2; i * i <= number && prime; i++) prime = number % i != 0;
    if (!prime) continue;
    if (found < 8) h[found] = root(number, 2);
    k[found++] = root(number, 3);
  }
  std::vector<uchar> message = data.v;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int i = 7; i >= 0; i--) message.push_back(uchar((data.v.size() * 8) >> (8 * i)));
  const auto turn = [](uint32_t x, int n) { return (x >> n) | (x << (32 - n)); };
  for (size_t at = 0; at < message.size(); at += 64) {
    uint32_t w[64], v[8];
    for (size_t i = 0; i < 16; i++)
      w[i] = uint32_t(message[at + 4 * i]) << 24 | uint32_t(message[at + 4 * i + 1]) << 16 |
             uint32_t(message[at + 4 * i + 2]) << 8 | message[at + 4 * i + 3];
    for (int i = 16; i < 64; i++)
      w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
             (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    std::copy(h, h + 8, v);
    for (int i = 0; i < 64; i++) {
      const uint32_t one = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
      const uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (int j = 7; j > 0; j--) v[j] = v[j - 1];
      v[4] += one, v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
  }
  result.v.clear();
  for (const uint32_t word : h)
    for (int i = 3; i >= 0; i--) result.v.push_back(uchar(word >> (8 * i)));
  return 32;
}
double AccountInfoDouble(ENUM_ACCOUNT_INFO_DOUBLE) { return equity(); }
long AccountInfoInteger(ENUM_ACCOUNT_INFO_INTEGER what) {
  if (what == ACCOUNT_LOGIN) return account;
  if (what == ACCOUNT_TRADE_MODE) return ACCOUNT_TRADE_MODE_DEMO;
  return netting ? ACCOUNT_MARGIN_MODE_RETAIL_NETTING : ACCOUNT_MARGIN_MODE_RETAIL_HEDGING;
}
string AccountInfoString(ENUM_ACCOUNT_INFO_STRING what) { return what == ACCOUNT_SERVER ? "Broker-Demo" : "EUR"; }
#ifdef __MQL4__
Position chosen;
const Closed *ended = nullptr;

bool RefreshRates() { return true; }
double MarketInfo(const string &, int what) {
  switch (what) {
    case MODE_MAXLOT: return 100.0;
    case MODE_TICKVALUE: return 0.01 * CONTRACT;
    default: return 0.01;
  }
}
double AccountEquity() { return equity(); }
bool GlobalVariableDel(const string &name) { return variables.erase(name.s) > 0; }
int OrderSend(const string &symbol, int type, double volume, double, int, double stop, double target, const string &comment,
              int magic, datetime, color) {
  magicOfOrders = ulong(magic);
  if (open(symbol, type, volume, stop, target, comment)) return int(nextTicket - 1);
  error = 132;
  return -1;
}
bool OrderClose(int ticket, double, double price, int, color) {
  for (size_t i = 0; i < positions.size(); i++)
    if (positions[i].ticket == ulong(ticket)) return close(i, DEAL_REASON_EXPERT, price), true;
  return false;
}
int OrdersTotal() { return int(positions.size()); }
int OrdersHistoryTotal() { return int(closed.size()); }
bool OrderSelect(int index, int, int pool) {
  ended = pool == MODE_HISTORY ? &closed.at(size_t(index)) : nullptr;
  chosen = ended ? ended->was : positions.at(size_t(index));
  return true;
}
string OrderSymbol() { return chosen.symbol; }
string OrderComment() {
  if (!ended) return chosen.comment;
  const string how = ended->reason == DEAL_REASON_TP ? "[tp]" : ended->reason == DEAL_REASON_SL ? "[sl]" : "";
  return chosen.comment + how;
}
int OrderTicket() { return int(chosen.ticket); }
int OrderType() { return chosen.type; }
int OrderMagicNumber() { return int(chosen.magic); }
datetime OrderOpenTime() { return chosen.at; }
datetime OrderCloseTime() { return ended ? ended->at : 0; }
double OrderLots() { return chosen.volume; }
double OrderOpenPrice() { return chosen.price; }
double OrderClosePrice() { return ended ? ended->price : bidOf(chosen.symbol); }
double OrderProfit() {
  const double moved = OrderClosePrice() - chosen.price;
  return (chosen.type == OP_BUY ? moved : -moved) * chosen.volume * CONTRACT;
}
double OrderSwap() { return ended ? -0.2 : 0.0; }
double OrderCommission() { return -1.1; }
#else
bool OrderCalcProfit(ENUM_ORDER_TYPE type, const string &, double volume, double from, double to, double &profit) {
  profit = (type == ORDER_TYPE_BUY ? to - from : from - to) * volume * CONTRACT;
  return true;
}

int PositionsTotal() { return int(positions.size()); }
ulong PositionGetTicket(int index) { return selected = index, positions.at(size_t(index)).ticket; }
bool PositionSelect(const string &symbol) {
  for (size_t i = 0; i < positions.size(); i++)
    if (positions[i].symbol == symbol) return selected = int(i), true;
  return false;
}
long PositionGetInteger(ENUM_POSITION_PROPERTY_INTEGER what) {
  const Position &position = positions.at(size_t(selected));
  switch (what) {
    case POSITION_MAGIC: return position.magic;
    case POSITION_TIME: return position.at;
    case POSITION_IDENTIFIER: return long(position.ticket);
    default: return position.type;
  }
}
double PositionGetDouble(ENUM_POSITION_PROPERTY_DOUBLE what) {
  const Position &position = positions.at(size_t(selected));
  return what == POSITION_VOLUME ? position.volume : position.price;
}
string PositionGetString(ENUM_POSITION_PROPERTY_STRING what) {
  const Position &position = positions.at(size_t(selected));
  return what == POSITION_SYMBOL ? position.symbol : position.comment;
}

bool HistorySelect(datetime from, datetime to) {
  history.clear();
  for (const Deal &deal : deals)
    if (deal.at >= from && deal.at <= to) history.push_back(&deal);
  return true;
}
bool HistorySelectByPosition(ulong position) {
  history.clear();
  for (const Deal &deal : deals)
    if (deal.position == position) history.push_back(&deal);
  return true;
}
int HistoryDealsTotal() { return int(history.size()); }
ulong HistoryDealGetTicket(int index) { return history.at(size_t(index))->ticket; }
long HistoryDealGetInteger(ulong ticket, ENUM_DEAL_PROPERTY_INTEGER what) {
  const Deal &deal = dealOf(ticket);
  switch (what) {
    case DEAL_ENTRY: return deal.entry;
    case DEAL_MAGIC: return deal.magic;
    case DEAL_POSITION_ID: return long(deal.position);
    case DEAL_TYPE: return deal.type;
    case DEAL_TIME: return deal.at;
    default: return deal.reason;
  }
}
double HistoryDealGetDouble(ulong ticket, ENUM_DEAL_PROPERTY_DOUBLE what) {
  const Deal &deal = dealOf(ticket);
  switch (what) {
    case DEAL_VOLUME: return deal.volume;
    case DEAL_PRICE: return deal.price;
    case DEAL_PROFIT: return deal.profit;
    case DEAL_SWAP: return deal.swap;
    case DEAL_COMMISSION: return deal.commission;
    default: return deal.fee;
  }
}
string HistoryDealGetString(ulong ticket, ENUM_DEAL_PROPERTY_STRING what) {
  const Deal &deal = dealOf(ticket);
  return what == DEAL_SYMBOL ? deal.symbol : deal.comment;
}

void CTrade::SetExpertMagicNumber(ulong magic) { magicOfOrders = magic; }
bool CTrade::SetTypeFillingBySymbol(const string &) { return true; }
void CTrade::SetDeviationInPoints(ulong) {}
bool CTrade::Buy(double volume, const string &symbol, double, double stop, double target, const string &comment) {
  return open(symbol, POSITION_TYPE_BUY, volume, stop, target, comment);
}
bool CTrade::Sell(double volume, const string &symbol, double, double stop, double target, const string &comment) {
  return open(symbol, POSITION_TYPE_SELL, volume, stop, target, comment);
}
bool CTrade::PositionClose(ulong ticket) {
  for (size_t i = 0; i < positions.size(); i++)
    if (positions[i].ticket == ticket) return close(i, DEAL_REASON_EXPERT, bidOf(positions[i].symbol)), true;
  return false;
}
uint CTrade::ResultRetcode() const { return refuses ? 10018 : TRADE_RETCODE_DONE; }
string CTrade::ResultRetcodeDescription() const { return refuses ? "market closed" : "request completed"; }
#endif

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
    else if (command == "pass") {
      for (long left = std::stol(name); left > 0; left -= 60) {
        const long passed = std::min(left, 60L);
        now += passed, ticks += ulong(passed) * 1000;
        if (walks) walk();
#ifdef TRADER
        if (testing) OnTick();
#endif
      }
    }
    else if (command == "count") tell("printed " + quoted(std::to_string(positions.size()) + " open, " + std::to_string(closed.size()) + " closed"));
    else if (command == "foreign")
      positions.push_back({1, 0, serverTime(), POSITION_TYPE_BUY, bid, 0.1, _Symbol, ""});
    else if (command == "close")
      close(0, name == "sl" ? DEAL_REASON_SL : name == "tp" ? DEAL_REASON_TP : DEAL_REASON_CLIENT, std::stod(value));
    else if (command == "forget") variables.clear();
    else throw std::runtime_error("no such command: " + command);
    tell("done");
  }
}
