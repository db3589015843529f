// The market, the account and the clock behind terminal.h, of MetaTrader 5 or, with __MQL4__, of MetaTrader 4; told what
// to do line by line on standard input:
//
//   set NAME VALUE      an input of the EA, or one of: bid, ago (seconds that the clock is late), netting (0 or 1),
//                       refuses (0 or 1), frozen (0 or 1: no quotes come)
//   start               OnDeinit when it ran, then OnInit, as after a change of inputs
//   look                OnTimer
//   pass SECONDS        time goes on
//   foreign             somebody else opens a position of the chart's symbol
//   close REASON PRICE  the oldest position is closed: client, sl, tp
//   forget              the terminal's global variables are gone
//
// Each is answered by what happened (`order`, `printed`, `chart`, `timer`) and `done`. A request of the EA is written
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
constexpr ulong FIRST_TICKET = 9007199254740993; // no double holds it
#endif

struct Position { ulong ticket; long magic; datetime at; int type; double price, volume; string symbol, comment; };
struct Deal {
  ulong ticket, position;
  long entry, magic, type, reason;
  datetime at;
  double volume, price, profit, swap, commission, fee;
  string symbol, comment;
};

constexpr long SERVER_OFFSET = 2 * 3600;
constexpr double SPREAD = 1.0, CONTRACT = 1.0;

datetime now = 0;
ulong ticks = 0;
double bid = 90000.0;
bool netting = false, refuses = false, started = false;
int error = 0, selected = 0;
bool frozen = false;
datetime lastQuote = 0;
ulong nextTicket = FIRST_TICKET;
ulong magicOfOrders = 0;
std::vector<Position> positions;
std::vector<Deal> deals;
std::vector<const Deal *> history;
// A closed position as MetaTrader 4 remembers it.
struct Closed { Position was; datetime at; double price; long reason; };
std::vector<Closed> closed;
datetime serverTime() { return now + SERVER_OFFSET; }
std::map<std::string, double> variables;

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

bool open(int type, double volume, double stop, double target, const string &comment) {
  if (refuses) return false;
  const double price = type == POSITION_TYPE_BUY ? bid + SPREAD : bid;
  const ulong ticket = nextTicket++;
  positions.push_back({ticket, long(magicOfOrders), serverTime(), type, price, volume, _Symbol, comment});
  deals.push_back({ticket + 1000, ticket, DEAL_ENTRY_IN, long(magicOfOrders), type, DEAL_REASON_EXPERT, serverTime(),
                   volume, price, 0.0, 0.0, -0.5, -0.1, _Symbol, comment});
  std::ostringstream order;
  order.precision(12);
  order << "order {\"buys\":" << (type == POSITION_TYPE_BUY ? "true" : "false") << ",\"price\":" << price
        << ",\"volume\":" << volume << ",\"stop\":" << stop << ",\"target\":" << target << ",\"magic\":" << magicOfOrders
        << ",\"comment\":" << quoted(comment.s) << "}";
  tell(order.str());
  return true;
}

void close(size_t index, long reason, double price) {
  const Position was = positions.at(index);
  positions.erase(positions.begin() + long(index));
  closed.push_back({was, serverTime(), price, reason});
  const double moved = was.type == POSITION_TYPE_BUY ? price - was.price : was.price - price;
  // A broker writes its own comment on a close, and a person's close carries no magic number.
  deals.push_back({was.ticket + 2000, was.ticket, DEAL_ENTRY_OUT, reason == DEAL_REASON_EXPERT ? was.magic : 0, 1 - was.type,
                   reason, serverTime(), was.volume, price, moved * was.volume * CONTRACT, -0.2, -0.5, 0.0, was.symbol,
                   "[closed]"});
}

const Deal &dealOf(ulong ticket) {
  for (const Deal &deal : deals)
    if (deal.ticket == ticket) return deal;
  throw std::runtime_error("no such deal");
}

void set(const std::string &name, const std::string &value) {
  if (name == "InpApiUrl") InpApiUrl = string(value);
  else if (name == "InpApiKey") InpApiKey = string(value);
  else if (name == "InpSymbol") InpSymbol = string(value);
  else if (name == "InpWaitSeconds") InpWaitSeconds = std::stoi(value);
  else if (name == "bid") bid = std::stod(value);
  else if (name == "ago") now = time(nullptr) - std::stol(value);
  else if (name == "netting") netting = value == "1";
  else if (name == "refuses") refuses = value == "1";
  else if (name == "frozen") frozen = value == "1";
  else throw std::runtime_error("nothing is called " + name);
}

} // namespace

const string _Symbol = "BTCUSDm";
const int _Period = 16385, _Digits = 2;

datetime TimeGMT() { return now; }
#ifdef __MQL4__
datetime TimeCurrent() { return frozen ? lastQuote : lastQuote = serverTime(); }
// It begins shortly before the 32 bits are full.
uint GetTickCount() { return uint(ticks + 4294960000); }
#else
datetime TimeTradeServer() { return serverTime(); }
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
datetime GlobalVariableSet(const string &name, double value) {
  if (name.s.size() > 63) throw std::length_error("a name of more than 63 letters");
  return variables[name.s] = value, now;
}

string EnumToString(ENUM_TIMEFRAMES) { return "PERIOD_H1"; }
int PeriodSeconds(ENUM_TIMEFRAMES) { return 3600; }
int CopyRates(const string &, ENUM_TIMEFRAMES, int, int count, Dynamic<MqlRates> &rates) {
  rates.v.clear();
  // Candles that differ, the last of them much longer: a plain average and Wilder's are far apart.
  for (int i = 0; i < count; i++) {
    const double size = i == count - 1 ? 900.0 : 100.0 + 10.0 * (i % 7);
    rates.v.push_back({now - (count - i) * 3600L, bid, bid + size, bid - size, bid + size / 2});
  }
  return count;
}
int iBarShift(const string &, ENUM_TIMEFRAMES, datetime at) { return int((serverTime() - at) / 3600); }
double SymbolInfoDouble(const string &, ENUM_SYMBOL_INFO_DOUBLE what) {
  switch (what) {
    case SYMBOL_ASK: return bid + SPREAD;
    case SYMBOL_BID: return bid;
    case SYMBOL_VOLUME_MAX: return 100.0;
    default: return 0.01;
  }
}
string AccountInfoString(ENUM_ACCOUNT_INFO_STRING) { return "EUR"; }
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
double AccountEquity() { return 10000.0; }
bool GlobalVariableDel(const string &name) { return variables.erase(name.s) > 0; }
int OrderSend(const string &, int type, double volume, double, int, double stop, double target, const string &comment,
              int magic, datetime, color) {
  magicOfOrders = ulong(magic);
  if (open(type, volume, stop, target, comment)) return int(nextTicket - 1);
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
double OrderClosePrice() { return ended ? ended->price : bid; }
double OrderProfit() {
  const double moved = OrderClosePrice() - chosen.price;
  return (chosen.type == OP_BUY ? moved : -moved) * chosen.volume * CONTRACT;
}
double OrderSwap() { return ended ? -0.2 : 0.0; }
double OrderCommission() { return -1.1; }
#else
double AccountInfoDouble(ENUM_ACCOUNT_INFO_DOUBLE) { return 10000.0; }
long AccountInfoInteger(ENUM_ACCOUNT_INFO_INTEGER) {
  return netting ? ACCOUNT_MARGIN_MODE_RETAIL_NETTING : ACCOUNT_MARGIN_MODE_RETAIL_HEDGING;
}
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
bool CTrade::Buy(double volume, const string &, double, double stop, double target, const string &comment) {
  return open(POSITION_TYPE_BUY, volume, stop, target, comment);
}
bool CTrade::Sell(double volume, const string &, double, double stop, double target, const string &comment) {
  return open(POSITION_TYPE_SELL, volume, stop, target, comment);
}
bool CTrade::PositionClose(ulong ticket) {
  for (size_t i = 0; i < positions.size(); i++)
    if (positions[i].ticket == ticket) return close(i, DEAL_REASON_EXPERT, bid), true;
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
    else if (command == "pass") now += std::stol(name), ticks += std::stoul(name) * 1000;
    else if (command == "foreign")
      positions.push_back({1, 0, serverTime(), POSITION_TYPE_BUY, bid, 0.1, _Symbol, ""});
    else if (command == "close")
      close(0, name == "sl" ? DEAL_REASON_SL : name == "tp" ? DEAL_REASON_TP : DEAL_REASON_CLIENT, std::stod(value));
    else if (command == "forget") variables.clear();
    else throw std::runtime_error("no such command: " + command);
    tell("done");
  }
}
