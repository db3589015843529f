// A stand-in for MetaTrader 5, or with __MQL4__ for MetaTrader 4, as far as the EA kit uses it: MQL has no compiler
// outside the terminal, but the language is close enough to C++ for a C++ compiler to read the kit's sources line by
// line. Types are as strict as MQL5's. terminal.cpp simulates the market, the account and the clock.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using datetime = int64_t;
using uchar = unsigned char;
static_assert(sizeof(long) == 8 && sizeof(ulong) == 8, "MQL5's long has 64 bits");

// --- text: a string of MQL5 is a value, and no pointer lies behind it
struct string {
  std::string s;
  string() = default;
  string(const char *text) : s(text) {}
  explicit string(std::string text) : s(std::move(text)) {}
  bool operator==(const string &other) const { return s == other.s; }
  bool operator!=(const string &other) const { return s != other.s; }
  string &operator+=(const string &other) { return s += other.s, *this; }
};
inline string operator+(const string &a, const string &b) { return string(a.s + b.s); }
inline std::ostream &operator<<(std::ostream &out, const string &text) { return out << text.s; }

// --- `T name[]` of MQL5; reading beyond its end stops the program, as there
template <class T> struct Dynamic {
  std::vector<T> v;
  T &operator[](int at) { return v.at(size_t(at)); }
  const T &operator[](int at) const { return v.at(size_t(at)); }
};
template <class T> int ArraySize(const Dynamic<T> &array) { return int(array.v.size()); }
template <class T> int ArrayResize(Dynamic<T> &array, int size) { return array.v.resize(size_t(size)), size; }

enum { WHOLE_ARRAY = -1, CP_UTF8 = 65001 };
inline int StringLen(const string &text) { return int(text.s.size()); }
inline ushort StringGetCharacter(const string &text, int at) {
  return at < StringLen(text) ? ushort(static_cast<unsigned char>(text.s[size_t(at)])) : ushort(0);
}
inline string StringSubstr(const string &text, int from, int length = -1) {
  if (from > StringLen(text)) return "";
  return string(text.s.substr(size_t(from), length < 0 ? std::string::npos : size_t(length)));
}
inline int StringFind(const string &text, const string &part, int from = 0) {
  const size_t at = text.s.find(part.s, size_t(from));
  return at == std::string::npos ? -1 : int(at);
}
inline int StringTrimLeft(string &text) { return text.s.erase(0, text.s.find_first_not_of(" \t\r\n")), 0; }
inline int StringTrimRight(string &text) { return text.s.erase(text.s.find_last_not_of(" \t\r\n") + 1), 0; }
inline bool StringToLower(string &text) { for (char &c : text.s) c = char(tolower(c)); return true; }
inline bool StringToUpper(string &text) { for (char &c : text.s) c = char(toupper(c)); return true; }
inline long StringToInteger(const string &text) { return strtol(text.s.c_str(), nullptr, 10); }
inline double StringToDouble(const string &text) { return strtod(text.s.c_str(), nullptr); }
inline string IntegerToString(long value) { return string(std::to_string(value)); }
inline string DoubleToString(double value, int digits) {
  char text[64];
  snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
inline int StringSplit(const string &text, ushort separator, Dynamic<string> &parts) {
  parts.v.clear();
  std::istringstream in(text.s);
  for (std::string part; std::getline(in, part, char(separator));) parts.v.push_back(string(part));
  return ArraySize(parts);
}
// Without a length the terminating zero is copied too.
template <class T> int StringToCharArray(const string &text, Dynamic<T> &array, int start, int count, uint) {
  const size_t size = count < 0 ? text.s.size() + 1 : size_t(count);
  array.v.assign(text.s.c_str() + start, text.s.c_str() + start + size);
  return ArraySize(array);
}
inline string CharArrayToString(const Dynamic<char> &array, int, int, uint) {
  return string(std::string(array.v.begin(), array.v.end()));
}
inline const char *formatted(const string &value) { return value.s.c_str(); }
template <class T> T formatted(T value) { return value; }
template <class... A> string StringFormat(const char *format, const A &...values) {
  std::string own(format);
  for (size_t at; (at = own.find("I64")) != std::string::npos;) own.replace(at, 3, "l");
  char text[4096];
  snprintf(text, sizeof text, own.c_str(), formatted(values)...);
  return text;
}

// --- numbers and times
template <class T, class U> auto MathMax(T a, U b) { return a > b ? a : b; }
template <class T, class U> auto MathMin(T a, U b) { return a < b ? a : b; }
inline double MathAbs(double value) { return std::fabs(value); }
inline double MathRound(double value) { return std::round(value); }
inline double MathFloor(double value) { return std::floor(value); }
inline double NormalizeDouble(double value, int digits) {
  const double scale = std::pow(10, digits);
  return std::round(value * scale) / scale;
}
struct MqlDateTime { int year, mon, day, hour, min, sec; };
inline bool TimeToStruct(datetime at, MqlDateTime &part) {
  const time_t seconds = at;
  struct tm utc;
  gmtime_r(&seconds, &utc);
  part = {utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec};
  return true;
}
inline datetime StringToTime(const string &text) {
  struct tm utc = {};
  if (sscanf(text.s.c_str(), "%d.%d.%d %d:%d:%d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec) < 3)
    return 0;
  utc.tm_year -= 1900, utc.tm_mon -= 1;
  return timegm(&utc);
}
datetime TimeGMT();
datetime TimeTradeServer();
datetime TimeCurrent();
uint GetTickCount();
ulong GetTickCount64();
bool EventSetTimer(int seconds);
void EventKillTimer();
enum { INIT_SUCCEEDED, INIT_FAILED, INIT_PARAMETERS_INCORRECT = 32767 };

// --- output for the trader: the log, alerts and the text on the chart
void printed(const std::string &text);
void charted(const std::string &text);
template <class... A> std::string joined(const A &...parts) { std::ostringstream out; ((out << parts), ...); return out.str(); }
template <class... A> void Print(const A &...parts) { printed(joined(parts...)); }
template <class... A> void Alert(const A &...parts) { printed(joined(parts...)); }
template <class... A> void Comment(const A &...parts) { charted(joined(parts...)); }

// --- the network
void ResetLastError();
int GetLastError();
int WebRequest(const string &method, const string &url, const string &headers, int timeoutMs,
               const Dynamic<char> &sent, Dynamic<char> &received, string &receivedHeaders);

// --- hashes, the Strategy Tester and files
enum { CRYPT_HASH_SHA256 = 4 };
int CryptEncode(int method, const Dynamic<uchar> &data, const Dynamic<uchar> &key, Dynamic<uchar> &result);
enum { MQL_TESTER = 6 };
int MQLInfoInteger(int what);
enum { INVALID_HANDLE = -1, FILE_READ = 1, FILE_TXT = 16, FILE_ANSI = 32, FILE_COMMON = 4096 };
int FileOpen(const string &name, int flags);
bool FileIsEnding(int handle);
string FileReadString(int handle);
void FileClose(int handle);

// --- variables that survive a restart of the terminal
bool GlobalVariableCheck(const string &name);
double GlobalVariableGet(const string &name);
int GlobalVariablesDeleteAll(const string &prefix);
datetime GlobalVariableSet(const string &name, double value);

// --- the chart, the account, the market
enum ENUM_TIMEFRAMES {
  PERIOD_CURRENT, PERIOD_M1, PERIOD_M5 = 5, PERIOD_M15 = 15, PERIOD_M30 = 30, PERIOD_H1 = 16385, PERIOD_H4 = 16388,
  PERIOD_D1 = 16408, PERIOD_W1 = 32769, PERIOD_MN1 = 49153
};
extern const string _Symbol;
extern const int _Period, _Digits;
string EnumToString(ENUM_TIMEFRAMES timeframe);
int PeriodSeconds(ENUM_TIMEFRAMES timeframe = PERIOD_CURRENT);
struct MqlRates { datetime time; double open, high, low, close; long tick_volume; };
int CopyRates(const string &symbol, ENUM_TIMEFRAMES timeframe, int from, int count, Dynamic<MqlRates> &rates);
int iBars(const string &symbol, ENUM_TIMEFRAMES timeframe);
bool SymbolSelect(const string &symbol, bool select);
int iBarShift(const string &symbol, ENUM_TIMEFRAMES timeframe, datetime at);
int SymbolsTotal(bool selected);
string SymbolName(int index, bool selected);
enum ENUM_SYMBOL_INFO_INTEGER { SYMBOL_DIGITS, SYMBOL_TRADE_MODE };
enum { SYMBOL_TRADE_MODE_DISABLED, SYMBOL_TRADE_MODE_FULL = 4 };
long SymbolInfoInteger(const string &symbol, ENUM_SYMBOL_INFO_INTEGER what);
enum ENUM_SYMBOL_INFO_DOUBLE { SYMBOL_ASK, SYMBOL_BID, SYMBOL_VOLUME_STEP, SYMBOL_VOLUME_MIN, SYMBOL_VOLUME_MAX };
double SymbolInfoDouble(const string &symbol, ENUM_SYMBOL_INFO_DOUBLE what);
enum ENUM_ACCOUNT_INFO_DOUBLE { ACCOUNT_EQUITY };
double AccountInfoDouble(ENUM_ACCOUNT_INFO_DOUBLE what);
enum ENUM_ACCOUNT_INFO_STRING { ACCOUNT_CURRENCY, ACCOUNT_SERVER };
string AccountInfoString(ENUM_ACCOUNT_INFO_STRING what);
enum ENUM_ACCOUNT_INFO_INTEGER { ACCOUNT_MARGIN_MODE, ACCOUNT_LOGIN, ACCOUNT_TRADE_MODE };
enum { ACCOUNT_TRADE_MODE_DEMO, ACCOUNT_TRADE_MODE_CONTEST, ACCOUNT_TRADE_MODE_REAL };
enum { ACCOUNT_MARGIN_MODE_RETAIL_NETTING, ACCOUNT_MARGIN_MODE_RETAIL_HEDGING = 2 };
long AccountInfoInteger(ENUM_ACCOUNT_INFO_INTEGER what);
enum ENUM_ORDER_TYPE { ORDER_TYPE_BUY, ORDER_TYPE_SELL };
bool OrderCalcProfit(ENUM_ORDER_TYPE type, const string &symbol, double volume, double open, double close, double &profit);

#ifdef __MQL4__
// --- MetaTrader 4: open and closed orders, read through the selected one
enum { OP_BUY, OP_SELL };
enum { SELECT_BY_POS, SELECT_BY_TICKET, MODE_TRADES = 0, MODE_HISTORY };
enum { MODE_TICKVALUE = 16, MODE_TICKSIZE, MODE_MINLOT = 23, MODE_LOTSTEP, MODE_MAXLOT };
enum color { clrNONE = -1 };
bool RefreshRates();
double MarketInfo(const string &symbol, int what);
double AccountEquity();
bool GlobalVariableDel(const string &name);
int OrderSend(const string &symbol, int type, double volume, double price, int slippage, double stop, double target,
              const string &comment, int magic, datetime expiration, color arrow);
bool OrderClose(int ticket, double volume, double price, int slippage, color arrow);
int OrdersTotal();
int OrdersHistoryTotal();
bool OrderSelect(int index, int by, int pool);
string OrderSymbol();
string OrderComment();
int OrderTicket();
int OrderType();
int OrderMagicNumber();
datetime OrderOpenTime();
datetime OrderCloseTime();
double OrderLots();
double OrderOpenPrice();
double OrderClosePrice();
double OrderProfit();
double OrderSwap();
double OrderCommission();
#else
// --- positions and deals
enum ENUM_POSITION_PROPERTY_INTEGER { POSITION_MAGIC, POSITION_TIME, POSITION_IDENTIFIER, POSITION_TYPE };
enum ENUM_POSITION_PROPERTY_DOUBLE { POSITION_PRICE_OPEN, POSITION_VOLUME };
enum ENUM_POSITION_PROPERTY_STRING { POSITION_SYMBOL, POSITION_COMMENT };
enum { POSITION_TYPE_BUY, POSITION_TYPE_SELL };
int PositionsTotal();
ulong PositionGetTicket(int index);
bool PositionSelect(const string &symbol);
long PositionGetInteger(ENUM_POSITION_PROPERTY_INTEGER what);
double PositionGetDouble(ENUM_POSITION_PROPERTY_DOUBLE what);
string PositionGetString(ENUM_POSITION_PROPERTY_STRING what);

enum ENUM_DEAL_PROPERTY_INTEGER { DEAL_ENTRY, DEAL_MAGIC, DEAL_POSITION_ID, DEAL_TYPE, DEAL_TIME, DEAL_REASON };
enum ENUM_DEAL_PROPERTY_DOUBLE { DEAL_VOLUME, DEAL_PRICE, DEAL_PROFIT, DEAL_SWAP, DEAL_COMMISSION, DEAL_FEE };
enum ENUM_DEAL_PROPERTY_STRING { DEAL_SYMBOL, DEAL_COMMENT };
enum { DEAL_ENTRY_IN, DEAL_ENTRY_OUT };
enum { DEAL_TYPE_BUY, DEAL_TYPE_SELL };
enum ENUM_DEAL_REASON {
  DEAL_REASON_CLIENT, DEAL_REASON_MOBILE, DEAL_REASON_WEB, DEAL_REASON_EXPERT, DEAL_REASON_SL, DEAL_REASON_TP, DEAL_REASON_SO
};
bool HistorySelect(datetime from, datetime to);
bool HistorySelectByPosition(ulong position);
int HistoryDealsTotal();
ulong HistoryDealGetTicket(int index);
long HistoryDealGetInteger(ulong deal, ENUM_DEAL_PROPERTY_INTEGER what);
double HistoryDealGetDouble(ulong deal, ENUM_DEAL_PROPERTY_DOUBLE what);
string HistoryDealGetString(ulong deal, ENUM_DEAL_PROPERTY_STRING what);

// --- the class of MetaTrader's standard library that sends orders
enum { TRADE_RETCODE_PLACED = 10008, TRADE_RETCODE_DONE = 10009, TRADE_RETCODE_DONE_PARTIAL = 10010 };
class CTrade {
public:
  void SetExpertMagicNumber(ulong magic);
  void SetDeviationInPoints(ulong points);
  bool SetTypeFillingBySymbol(const string &symbol);
  bool Buy(double volume, const string &symbol, double price, double stop, double target, const string &comment);
  bool Sell(double volume, const string &symbol, double price, double stop, double target, const string &comment);
  bool PositionClose(ulong ticket);
  uint ResultRetcode() const;
  string ResultRetcodeDescription() const;
};
#endif
