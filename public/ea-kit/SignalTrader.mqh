//+------------------------------------------------------------------+
//| SignalTrader.mqh                                                 |
//| Follows the signals of every slot of a plan from one chart. One  |
//| source for MetaTrader 4 and 5: SignalTrader.mq4 and .mq5 include |
//| it. SignalDelivery.mqh and SignalTester.mqh must be in the same  |
//| folder.                                                          |
//|                                                                  |
//| This is a sample to read and change, not a promise of profit.    |
//| Try it on a demo account first. The stop is 2 x ATR(14) from the |
//| entry (Wilder's ATR), the target is expected_rr times the stop,  |
//| and the time limit is 12 candles. The service judges its own     |
//| signals by the same rules. The EA holds one position per slot.   |
//|                                                                  |
//| Breakers stop new positions and never a closing. The journal and |
//| the portal show why a signal was not traded.                     |
//|                                                                  |
//| The EA keeps no record of its positions: it reads the terminal's |
//| history. It also treats positions of SignalFollower with the     |
//| same InpMagicNumber as its own. In MetaTrader 4 set the tab      |
//| Account History to "All History".                                |
//|                                                                  |
//| Tests compile this file as C++ into a stand-in for the terminal  |
//| and run it against the service itself. They do not use           |
//| MetaEditor. If MetaEditor reports a problem, please send us the  |
//| build number with the message.                                   |
//+------------------------------------------------------------------+
#ifndef __MQL4__
#include <Trade\Trade.mqh>
#endif
#include "SignalDelivery.mqh"
#include "SignalTester.mqh"

//--- the terminal shows these comments instead of the names
input string InpApiUrl          = "";         // InpApiUrl: address of the service
input string InpApiKey          = "";         // InpApiKey: your API key
input int    InpWaitSeconds     = 25;         // InpWaitSeconds: seconds of long polling, at most 25 (0: poll)
input int    InpPollSeconds     = 60;         // InpPollSeconds: seconds between polls (at least 5)
input string InpSymbols         = "";         // InpSymbols: broker's names, such as US500=US500.cash,XAUUSD=GOLD
input double InpMinConfidence   = 0.0;        // InpMinConfidence: lowest confidence to follow (0..1)
input double InpRiskPct         = 0.5;        // InpRiskPct: risk per position, percent of equity
input int    InpHorizon         = 12;         // InpHorizon: close after this number of candles
input int    InpMagicNumber     = 20260900;   // InpMagicNumber: identifies this EA's positions
input int    InpSlippage        = 10;         // InpSlippage: accepted slippage in points
input double InpMaxDailyLossPct = 0.0;        // InpMaxDailyLossPct: no new positions after this loss of the day, percent (0: off)
input double InpMaxDrawdownPct  = 0.0;        // InpMaxDrawdownPct: no new positions this far below the highest equity, percent (0: off)
input int    InpMaxPositions    = 0;          // InpMaxPositions: most open positions (0: no limit)
input double InpMaxSpreadPct    = 0.0;        // InpMaxSpreadPct: largest spread, percent of the stop's distance (0: no limit)
input string InpNoTradeTimes    = "";         // InpNoTradeTimes: times in UTC, such as 13:30,Fri 20:00,2026.12.16 19:00
input int    InpNoTradeMinutes  = 30;         // InpNoTradeMinutes: no new positions this many minutes before and after them
input string InpTesterFiles     = "";         // InpTesterFiles: files with decisions for the Strategy Tester
input string InpTesterClock     = "new_york"; // InpTesterClock: broker's clock in the tester: new_york, europe, utc, utc+2
input bool   InpTesterLate      = false;      // InpTesterLate: also follow decisions that were not committed in time

#define REPORTED_OPEN   1.0
#define REPORTED_CLOSED 2.0
#define HISTORY_SECONDS (60*86400)
#define ATR_PERIOD      14
#define ATR_CANDLES     300
#define MOST_SYMBOLS    200
#define TIMEFRAMES      9
//--- prefix of a test's variables, separate from those of live trading
#define TESTER_NAMES    "SDT."
//--- suffixes that brokers add to a symbol for the kind of account
#define SUFFIXES " A B C E F I K M P R S X Z AI AM CENT CASH ECN FX MICRO MINI NDD PRIME PRO RAW SPOT STD STP VIP ZERO "
#define COINS    " ADA BCH BNB BTC DOG DOT ETC ETH LTC SOL TRX XLM XMR XRP "

//--- an open position of this EA
struct OwnPosition
  {
   ulong             ticket;         // to close it
   ulong             position;       // to report it
   string            symbol;         // the broker's name
   string            timeframe;
   long              magic;
   bool              buys;
   datetime          opened;         // server time
   double            price;
   double            volume;
   string            comment;
  };

//--- a symbol of the service and the broker's name for it
struct SymbolPair
  {
   string            symbol;
   string            broker;
  };

CSignalDelivery Service;
CSignalTester   Tester;
#ifndef __MQL4__
CTrade          Trade;
#endif
SymbolPair      Pairs[MOST_SYMBOLS];
int             PairCount;
bool            Testing;
bool            FirstLook;
datetime        LastMinute;
int             ShownSignals;
string          Held;

//+------------------------------------------------------------------+
int OnInit(void)
  {
   Testing=MQLInfoInteger(MQL_TESTER)!=0;
   PairCount=0;
   LastMinute=0;
   ShownSignals=0;
   Held="";
   FirstLook=true;
   if(!TimesAreRead())
      return(INIT_PARAMETERS_INCORRECT);
   if(Testing)
     {
      GlobalVariablesDeleteAll(TESTER_NAMES);
      if(!CSignalTester::IsClock(InpTesterClock))
        {
         Alert("InpTesterClock: ",InpTesterClock," must be new_york, europe, utc or utc+2.");
         return(INIT_PARAMETERS_INCORRECT);
        }
      if(!Tester.Load(InpTesterFiles,InpTesterClock,InpTesterLate))
        {
         if(Tester.Late()>0)
            Alert("InpTesterFiles: none of the "+IntegerToString(Tester.Late())+" decisions was committed in time. Set InpTesterLate to true to follow them.");
         else
            Alert("InpTesterFiles: no decisions to follow. The Experts log says why.");
         return(INIT_PARAMETERS_INCORRECT);
        }
      Print(IntegerToString(Tester.Count())+" decisions. "+IntegerToString(Tester.Late())+" in the files were not committed in time and are "+
            (InpTesterLate ? "also followed." : "left out."));
      return(INIT_SUCCEEDED);
     }
   if(InpApiUrl=="" || InpApiKey=="")
     {
      Alert("Fill in InpApiUrl and InpApiKey.");
      return(INIT_PARAMETERS_INCORRECT);
     }
   Service.Init(InpApiUrl,InpApiKey);
   EventSetTimer(1);
   return(INIT_SUCCEEDED);
  }

//+------------------------------------------------------------------+
void OnDeinit(const int reason)
  {
   EventKillTimer();
   Comment("");
  }

//+------------------------------------------------------------------+
void OnTimer(void)
  {
   if(Testing)
      return;
   if(FirstLook)
     {
      FirstLook=false;
      EventKillTimer();
      //--- with long polling each check waits at the service, so the next one follows at once
      EventSetTimer(InpWaitSeconds>0 ? 1 : MathMax(5,InpPollSeconds));
     }
   CloseOverdue();
   ReportOpenPositions();
   ReportClosedPositions();
   //--- call it even without a signal, because it stores the day's first and the highest equity
   Held="";
   string brake=Breaker();
   if(brake!="")
      Hold("No new positions: "+brake);
   FollowAll();
   ReportOpenPositions();
   string problem=Service.Problem();
   Comment("SignalTrader: ",IntegerToString(ShownSignals)," slots, ",IntegerToString(CountPositions())," positions. ",
           problem=="" ? "Connected" : problem,Held=="" ? "" : "\n"+Held);
  }

//+------------------------------------------------------------------+
//| MetaTrader 4's Strategy Tester has no timer, so this runs once a |
//| minute                                                           |
//+------------------------------------------------------------------+
void OnTick(void)
  {
   if(!Testing || TimeCurrent()/60==LastMinute)
      return;
   LastMinute=TimeCurrent()/60;
   CloseOverdue();
   Breaker();
   int      at=0;
   SDSignal signal;
   while(Tester.Next(at,signal))
      Follow(signal,"");
  }

//+------------------------------------------------------------------+
void FollowAll(void)
  {
   if(!Service.Update(InpWaitSeconds,MathMax(5,InpPollSeconds)))
      return;
   int      at=0,count=0;
   SDSignal signal;
   //--- an empty slot is paused only if all are
   string   all=Service.PausedSince("","");
   if(all!="")
      Hold("Paused in the portal since "+all+": all slots");
   while(Service.Next(at,signal))
     {
      count++;
      Follow(signal,Service.PausedSince(signal.symbol,signal.timeframe));
     }
   ShownSignals=count;
  }

//+------------------------------------------------------------------+
//| Opens a position for a fresh signal that was not followed yet    |
//+------------------------------------------------------------------+
void Follow(const SDSignal &signal,const string paused)
  {
   if(paused!="" && Service.PausedSince("","")=="")
      Hold("Paused in the portal since "+paused+": "+signal.symbol+" "+signal.timeframe);
   int place=PlaceOf(signal.timeframe);
   if(signal.direction=="NO_TRADE" || place<0)
      return;
   long   magic=(long)InpMagicNumber+MinutesAt(place);
   string seen=Name(magic,"seen."+IntegerToString(signal.pred_id));
   if(GlobalVariableCheck(seen))
      return;
   string why="";
   if(signal.stale)
      why="TOO_LATE";
   else if(signal.confidence<InpMinConfidence)
      why="CONFIDENCE";
   else if(paused!="")
      why="PAUSE";
   else
      why=Breaker();
   if(why!="")
     {
      Tell(signal,why,0,"");
      return;
     }
   string symbol=BrokerName(signal.symbol);
   if(symbol=="")
     {
      Tell(signal,"NO_SYMBOL",0,": name it in InpSymbols");
      return;
     }
   if(IsTaken(symbol,magic))
     {
      Tell(signal,"OWN_POSITION",0,"");
      return;
     }
   bool   buys=signal.direction=="BUY";
   double ask=SymbolInfoDouble(symbol,SYMBOL_ASK);
   double bid=SymbolInfoDouble(symbol,SYMBOL_BID);
   double price=buys ? ask : bid;
   double distance=2.0*Atr(symbol,PeriodAt(place));
   if(price<=0.0 || distance<=0.0)
      return;
   if(InpMaxSpreadPct>0.0 && ask-bid>distance*InpMaxSpreadPct/100.0)
     {
      Tell(signal,"SPREAD",0,StringFormat(": %.1f %% of the stop's distance",100.0*(ask-bid)/distance));
      return;
     }
   int    digits=(int)SymbolInfoInteger(symbol,SYMBOL_DIGITS);
   double stop=NormalizeDouble(buys ? price-distance : price+distance,digits);
   double target=0.0;
   if(signal.expected_rr>0.0)
      target=NormalizeDouble(buys ? price+signal.expected_rr*distance : price-signal.expected_rr*distance,digits);
   double volume=VolumeForRisk(symbol,buys,price,stop);
   if(volume<0.0)
      return;
   if(volume==0.0)
     {
      Tell(signal,"VOLUME",0,StringFormat(": the smallest would risk more than %.2f %%",InpRiskPct));
      GlobalVariableSet(seen,1.0);
      return;
     }
   int    code=0;
   string words="";
   //--- the broker may cut a comment to 31 characters
   string comment=StringFormat("SDS:%I64d:%.4f",signal.pred_id,signal.confidence);
   if(SendOrder(symbol,buys,volume,price,stop,target,comment,magic,code,words))
      GlobalVariableSet(seen,1.0);
   else
      //--- each check tries again while the signal is fresh, even over a weekend
      Tell(signal,"TERMINAL_ERROR",code,": "+words);
  }

//+------------------------------------------------------------------+
//| Prints and reports why a signal is not traded, once              |
//+------------------------------------------------------------------+
void Tell(const SDSignal &signal,const string why,const int code,const string words)
  {
   if(Testing)
     {
      string told=Name(0,"tested."+IntegerToString(signal.pred_id));
      if(GlobalVariableCheck(told))
         return;
      GlobalVariableSet(told,1.0);
     }
   else if(!Service.NotTraded(signal.pred_id,why,code))
      return;
   Print(signal.symbol," ",signal.timeframe," ",signal.direction," of ",signal.ts," not traded: ",why,words);
  }

//+------------------------------------------------------------------+
void Hold(const string what)
  {
   if(StringFind(Held,what)<0)
      Held+=(Held=="" ? "" : "\n")+what;
  }

//+------------------------------------------------------------------+
//| The breaker that now stops new positions; empty if none does.    |
//| Highest equity and day are stored per account                    |
//+------------------------------------------------------------------+
string Breaker(void)
  {
   double equity=AccountInfoDouble(ACCOUNT_EQUITY);
   string own=Name(InpMagicNumber,IntegerToString((long)AccountInfoInteger(ACCOUNT_LOGIN))+".");
   double day=(double)((long)TimeTradeServer()/86400);
   if(!GlobalVariableCheck(own+"day") || GlobalVariableGet(own+"day")!=day)
     {
      GlobalVariableSet(own+"day",day);
      GlobalVariableSet(own+"morning",equity);
     }
   if(!GlobalVariableCheck(own+"top") || GlobalVariableGet(own+"top")<equity)
      GlobalVariableSet(own+"top",equity);
   double morning=GlobalVariableGet(own+"morning");
   double top=GlobalVariableGet(own+"top");
   //--- once reached, the breaker stays active for the rest of the day
   if(InpMaxDailyLossPct>0.0 && morning-equity>=morning*InpMaxDailyLossPct/100.0)
      GlobalVariableSet(own+"lost",day);
   if(InpMaxDailyLossPct>0.0 && GlobalVariableCheck(own+"lost") && GlobalVariableGet(own+"lost")==day)
      return("DAILY_LOSS");
   if(InpMaxDrawdownPct>0.0 && top-equity>=top*InpMaxDrawdownPct/100.0)
      return("DRAWDOWN");
   if(InpMaxPositions>0 && CountPositions()>=InpMaxPositions)
      return("MOST_POSITIONS");
   return(IsNoTradeTime(UtcNow()) ? "HOURS" : "");
  }

//+------------------------------------------------------------------+
datetime UtcNow(void)
  {
   //--- uses the server's clock, because the machine's may be wrong; the offset is rounded to a quarter of an hour
   return(Testing ? Tester.Utc() : CSignalDelivery::ToUtc(TimeTradeServer()));
  }

//+------------------------------------------------------------------+
//| Whether a time is within InpNoTradeMinutes of one of             |
//| InpNoTradeTimes                                                  |
//+------------------------------------------------------------------+
bool IsNoTradeTime(const datetime utc)
  {
   string part[];
   int    count=InpNoTradeTimes=="" ? 0 : StringSplit(InpNoTradeTimes,',',part);
   for(int i=0; i<count; i++)
     {
      long every=0;
      long at=TimeOf(part[i],every);
      long apart=at-(long)utc;
      if(every>0)
        {
         apart=apart%every;
         if(apart<0)
            apart+=every;
         if(every-apart<apart)
            apart=every-apart;
        }
      if(MathAbs((double)apart)<=60.0*InpNoTradeMinutes)
         return(true);
     }
   return(false);
  }

//+------------------------------------------------------------------+
//| Parses 13:30 (every day), Fri 20:00 (every week) or 2026.12.16   |
//| 19:00 into seconds and a repeat interval in seconds; -1 if       |
//| invalid                                                          |
//+------------------------------------------------------------------+
long TimeOf(const string text,long &every)
  {
   string what=text;
   StringTrimLeft(what);
   StringTrimRight(what);
   StringToUpper(what);
   every=0;
   if(StringLen(what)==16 && StringGetCharacter(what,4)=='.' && StringGetCharacter(what,13)==':')
      return((long)StringToTime(what));
   long day=0;
   every=86400;
   if(StringLen(what)==9)
     {
      //--- 1970-01-01 was a Thursday
      int found=StringFind("THU FRI SAT SUN MON TUE WED ",StringSubstr(what,0,4));
      if(found<0 || found%4!=0)
         return(-1);
      day=found/4;
      every=7*86400;
      what=StringSubstr(what,4);
     }
   if(StringLen(what)!=5 || StringGetCharacter(what,2)!=':')
      return(-1);
   long hour=StringToInteger(StringSubstr(what,0,2));
   long minute=StringToInteger(StringSubstr(what,3,2));
   if(hour<0 || hour>23 || minute<0 || minute>59)
      return(-1);
   return(day*86400+hour*3600+minute*60);
  }

//+------------------------------------------------------------------+
bool TimesAreRead(void)
  {
   string part[];
   int    count=InpNoTradeTimes=="" ? 0 : StringSplit(InpNoTradeTimes,',',part);
   for(int i=0; i<count; i++)
     {
      long every=0;
      if(TimeOf(part[i],every)>=0)
         continue;
      Alert("InpNoTradeTimes: ",part[i]," is not a time such as 13:30, Fri 20:00 or 2026.12.16 19:00.");
      return(false);
     }
   return(true);
  }

//+------------------------------------------------------------------+
//| The broker's name of a symbol of the service; empty if none      |
//+------------------------------------------------------------------+
string BrokerName(const string symbol)
  {
   for(int i=0; i<PairCount; i++)
      if(Pairs[i].symbol==symbol)
         return(Pairs[i].broker);
   string found=FindSymbol(symbol);
   //--- cache only found names, because a missing symbol may appear when the terminal has loaded its list
   if(found!="" && PairCount<MOST_SYMBOLS)
     {
      Print(symbol,": this broker calls it ",found,".");
      Pairs[PairCount].symbol=symbol;
      Pairs[PairCount].broker=found;
      PairCount++;
     }
   return(found);
  }

//+------------------------------------------------------------------+
//| Tries the table of InpSymbols, then the name itself, then the    |
//| name with brokers' additions, first in the Market Watch          |
//+------------------------------------------------------------------+
string FindSymbol(const string symbol)
  {
   string pair[],side[];
   int    count=InpSymbols=="" ? 0 : StringSplit(InpSymbols,',',pair);
   for(int i=0; i<count; i++)
      if(StringSplit(pair[i],'=',side)==2)
        {
         string own=side[0];
         string broker=side[1];
         StringTrimLeft(own);
         StringTrimRight(own);
         StringTrimLeft(broker);
         StringTrimRight(broker);
         if(own==symbol)
            return(IsTraded(broker) ? broker : "");
        }
   if(IsTraded(symbol))
      return(symbol);
   string alias=symbol=="XAUUSD" ? "GOLD" : symbol=="XAGUSD" ? "SILVER" : symbol;
   for(int pass=0; pass<2; pass++)
     {
      string best="";
      int    names=SymbolsTotal(pass==0);
      for(int i=0; i<names; i++)
        {
         string name=SymbolName(i,pass==0);
         if(best!="" && StringLen(name)>=StringLen(best))
            continue;
         if((IsSpelledWith(name,symbol) || IsSpelledWith(name,alias)) && IsTraded(name))
            best=name;
        }
      if(best!="")
         return(best);
     }
   return("");
  }

//+------------------------------------------------------------------+
bool IsTraded(const string name)
  {
   return(SymbolSelect(name,true) && SymbolInfoInteger(name,SYMBOL_TRADE_MODE)!=SYMBOL_TRADE_MODE_DISABLED);
  }

//+------------------------------------------------------------------+
//| Matches EURUSDm, EURUSD.i, #XAUUSD-ECN, US500.cash               |
//+------------------------------------------------------------------+
bool IsSpelledWith(const string name,const string code)
  {
   string upper=name;
   StringToUpper(upper);
   int at=StringFind(upper,code);
   if(at<0)
      return(false);
   string head=StringSubstr(upper,0,at);
   string tail=StringSubstr(upper,at+StringLen(code));
   int    last=StringLen(head)-1;
   if(last>=0 && head!="M" && head!="FX" && (last>11 || IsLetter(StringGetCharacter(head,last))))
      return(false);
   if(tail=="")
      return(true);
   if(!IsLetter(StringGetCharacter(tail,0)))
      return(StringLen(tail)<=12);
   //--- BTCUSDC is quoted in the coin USDC; on other symbols a trailing C marks a cent account
   if(tail=="C" && StringFind(COINS," "+StringSubstr(code,0,3)+" ")>=0)
      return(false);
   return(StringFind(SUFFIXES," "+tail+" ")>=0);
  }

//+------------------------------------------------------------------+
bool IsLetter(const ushort letter)
  {
   return((letter>='A' && letter<='Z') || (letter>='0' && letter<='9'));
  }

//+------------------------------------------------------------------+
//| The service's name of a broker's symbol, for a report. An        |
//| unknown name is sent unchanged, because the service also matches |
//| brokers' names                                                   |
//+------------------------------------------------------------------+
string ServiceName(const string broker)
  {
   for(int i=0; i<PairCount; i++)
      if(Pairs[i].broker==broker)
         return(Pairs[i].symbol);
   string pair[],side[];
   int    count=InpSymbols=="" ? 0 : StringSplit(InpSymbols,',',pair);
   for(int i=0; i<count; i++)
      if(StringSplit(pair[i],'=',side)==2 && StringFind(side[1],broker)>=0)
        {
         string own=side[0];
         StringTrimLeft(own);
         StringTrimRight(own);
         return(own);
        }
   return(broker);
  }

//+------------------------------------------------------------------+
//| The timeframes of both terminals, by index                       |
//+------------------------------------------------------------------+
string TimeframeAt(const int place)
  {
   string names[TIMEFRAMES]={"M1","M5","M15","M30","H1","H4","D1","W1","MN1"};
   return(names[place]);
  }

//+------------------------------------------------------------------+
int MinutesAt(const int place)
  {
   int minutes[TIMEFRAMES]={1,5,15,30,60,240,1440,10080,43200};
   return(minutes[place]);
  }

//+------------------------------------------------------------------+
ENUM_TIMEFRAMES PeriodAt(const int place)
  {
   ENUM_TIMEFRAMES periods[TIMEFRAMES]={PERIOD_M1,PERIOD_M5,PERIOD_M15,PERIOD_M30,PERIOD_H1,PERIOD_H4,PERIOD_D1,PERIOD_W1,PERIOD_MN1};
   return(periods[place]);
  }

//+------------------------------------------------------------------+
int PlaceOf(const string timeframe)
  {
   for(int i=0; i<TIMEFRAMES; i++)
      if(TimeframeAt(i)==timeframe)
         return(i);
   return(-1);
  }

//+------------------------------------------------------------------+
//| Timeframe of the slot that belongs to this magic number          |
//+------------------------------------------------------------------+
string TimeframeOf(const long magic)
  {
   for(int i=0; i<TIMEFRAMES; i++)
      if((long)InpMagicNumber+MinutesAt(i)==magic)
         return(TimeframeAt(i));
   return("");
  }

//+------------------------------------------------------------------+
//| Wilder's ATR of the closed candles; 0 if there are too few       |
//+------------------------------------------------------------------+
double Atr(const string symbol,const ENUM_TIMEFRAMES period)
  {
   MqlRates candle[];
   int count=CopyRates(symbol,period,1,ATR_CANDLES,candle);
   if(count<=ATR_PERIOD)
      return(0.0);
   double atr=0.0;
   for(int i=0; i<count; i++)
     {
      double range=candle[i].high-candle[i].low;
      if(i>0)
         range=MathMax(candle[i].high,candle[i-1].close)-MathMin(candle[i].low,candle[i-1].close);
      //--- the mean of the first ATR_PERIOD ranges, then Wilder's smoothing
      atr+=(i<ATR_PERIOD ? range : range-atr)/ATR_PERIOD;
     }
   return(atr);
  }

//+------------------------------------------------------------------+
int CountPositions(void)
  {
   OwnPosition open[];
   return(OwnPositions(open));
  }

//+------------------------------------------------------------------+
//| Whether the slot or, on a netting account, the symbol already    |
//| has a position                                                   |
//+------------------------------------------------------------------+
bool IsTaken(const string symbol,const long magic)
  {
   OwnPosition open[];
   int count=OwnPositions(open);
   for(int i=0; i<count; i++)
      if(open[i].symbol==symbol && open[i].magic==magic)
         return(true);
#ifdef __MQL4__
   return(false);
#else
   //--- on a netting account an order changes any open position of the symbol, even one from another EA
   return(AccountInfoInteger(ACCOUNT_MARGIN_MODE)!=ACCOUNT_MARGIN_MODE_RETAIL_HEDGING && PositionSelect(symbol));
#endif
  }

//+------------------------------------------------------------------+
void CloseOverdue(void)
  {
   OwnPosition open[];
   int count=OwnPositions(open);
   for(int i=0; i<count; i++)
      if(iBarShift(open[i].symbol,PeriodAt(PlaceOf(open[i].timeframe)),open[i].opened)>=InpHorizon)
         ClosePosition(open[i]);
  }

//+------------------------------------------------------------------+
void ReportOpenPositions(void)
  {
   OwnPosition open[];
   int count=OwnPositions(open);
   for(int i=0; i<count; i++)
     {
      string reported=Name(open[i].magic,IntegerToString((long)open[i].position));
      if(GlobalVariableCheck(reported))
         continue;
      SDExecution execution;
      Fill(execution,open[i].position,open[i].symbol,open[i].magic,open[i].comment,open[i].buys);
      execution.opened_utc=CSignalDelivery::ToUtc(open[i].opened);
      execution.entry_price=open[i].price;
      execution.volume=open[i].volume;
      if(Service.Report(execution))
         GlobalVariableSet(reported,REPORTED_OPEN);
     }
  }

//+------------------------------------------------------------------+
//| Whether the closing of a position must still be reported         |
//+------------------------------------------------------------------+
bool IsUnreported(const long magic,const ulong position)
  {
   string reported=Name(magic,IntegerToString((long)position));
   return(!GlobalVariableCheck(reported) || GlobalVariableGet(reported)<REPORTED_CLOSED);
  }

//+------------------------------------------------------------------+
void SendClosing(const SDExecution &execution)
  {
   if(Service.Report(execution))
      GlobalVariableSet(Name(execution.magic,IntegerToString((long)execution.ticket)),REPORTED_CLOSED);
  }

//+------------------------------------------------------------------+
//| Fields of the comment SDS:<pred_id>:<confidence>                 |
//+------------------------------------------------------------------+
void Fill(SDExecution &execution,const ulong position,const string symbol,const long magic,const string comment,const bool bought)
  {
   string part[];
   //--- the number ends at the bracket that the server appends
   bool   own=StringSplit(comment,':',part)>=3 && part[0]=="SDS";
   execution.ticket=position;
   execution.pred_id=own ? StringToInteger(part[1]) : 0;
   execution.confidence=own ? StringToDouble(part[2]) : 0.0;
   execution.symbol=ServiceName(symbol);
   execution.timeframe=TimeframeOf(magic);
   execution.direction=bought ? "BUY" : "SELL";
   execution.opened_utc=0;
   execution.entry_price=0.0;
   execution.closed_utc=0;
   execution.exit_price=0.0;
   execution.pnl=0.0;
   execution.result="";
   execution.volume=0.0;
   execution.commission=0.0;
   execution.swap=0.0;
   execution.magic=magic;
  }

//+------------------------------------------------------------------+
//| Name of a global variable of the terminal (at most 63            |
//| characters)                                                      |
//+------------------------------------------------------------------+
string Name(const long magic,const string what)
  {
   return((Testing ? TESTER_NAMES : "SDS.")+IntegerToString(magic)+"."+what);
  }

#ifdef __MQL4__
//+------------------------------------------------------------------+
//| Whether the selected order is a position of this EA              |
//+------------------------------------------------------------------+
bool IsOwn(void)
  {
   return((OrderType()==OP_BUY || OrderType()==OP_SELL) && TimeframeOf(OrderMagicNumber())!="");
  }

//+------------------------------------------------------------------+
int OwnPositions(OwnPosition &list[])
  {
   int count=0;
   for(int i=0; i<OrdersTotal(); i++)
     {
      if(!OrderSelect(i,SELECT_BY_POS,MODE_TRADES) || !IsOwn())
         continue;
      ArrayResize(list,count+1);
      list[count].ticket=(ulong)OrderTicket();
      list[count].position=(ulong)OrderTicket();
      list[count].symbol=OrderSymbol();
      list[count].magic=OrderMagicNumber();
      list[count].timeframe=TimeframeOf(OrderMagicNumber());
      list[count].buys=OrderType()==OP_BUY;
      list[count].opened=OrderOpenTime();
      list[count].price=OrderOpenPrice();
      list[count].volume=OrderLots();
      list[count].comment=OrderComment();
      count++;
     }
   return(count);
  }

//+------------------------------------------------------------------+
bool SendOrder(const string symbol,const bool buys,const double volume,const double price,const double stop,const double target,
               const string comment,const long magic,int &code,string &words)
  {
   RefreshRates();
   ResetLastError();
   if(OrderSend(symbol,buys ? OP_BUY : OP_SELL,volume,price,InpSlippage,stop,target,comment,(int)magic,0,clrNONE)>0)
      return(true);
   code=GetLastError();
   words="error "+IntegerToString(code);
   return(false);
  }

//+------------------------------------------------------------------+
void ClosePosition(const OwnPosition &open)
  {
   RefreshRates();
   double price=SymbolInfoDouble(open.symbol,open.buys ? SYMBOL_BID : SYMBOL_ASK);
   //--- only this place knows the reason; the history does not contain it
   string reason=Name(open.magic,"timeout."+IntegerToString((long)open.ticket));
   GlobalVariableSet(reason,1.0);
   if(!OrderClose((int)open.ticket,open.volume,price,InpSlippage,clrNONE))
      GlobalVariableDel(reason);
  }

//+------------------------------------------------------------------+
//| Volume whose loss at the stop is InpRiskPct of equity. 0: even   |
//| the smallest volume risks more; -1: it cannot be computed now    |
//+------------------------------------------------------------------+
double VolumeForRisk(const string symbol,const bool buys,const double price,const double stop)
  {
   double tick_size=MarketInfo(symbol,MODE_TICKSIZE);
   double tick_value=MarketInfo(symbol,MODE_TICKVALUE);
   double step=MarketInfo(symbol,MODE_LOTSTEP);
   if(tick_size<=0.0 || tick_value<=0.0 || step<=0.0)
      return(-1.0);
   double loss_per_lot=(buys ? price-stop : stop-price)/tick_size*tick_value;
   double volume=MathFloor(AccountEquity()*InpRiskPct/100.0/loss_per_lot/step)*step;
   if(volume<MarketInfo(symbol,MODE_MINLOT))
      return(0.0);
   return(MathMin(volume,MarketInfo(symbol,MODE_MAXLOT)));
  }

//+------------------------------------------------------------------+
//| Reports every closed position of this EA whose closing the       |
//| service has not confirmed, also after a restart                  |
//+------------------------------------------------------------------+
void ReportClosedPositions(void)
  {
   datetime from=TimeTradeServer()-HISTORY_SECONDS;
   for(int i=OrdersHistoryTotal()-1; i>=0; i--)
     {
      if(!OrderSelect(i,SELECT_BY_POS,MODE_HISTORY) || !IsOwn() || OrderCloseTime()<from)
         continue;
      ulong ticket=(ulong)OrderTicket();
      long  magic=OrderMagicNumber();
      if(!IsUnreported(magic,ticket))
         continue;
      SDExecution execution;
      Fill(execution,ticket,OrderSymbol(),magic,OrderComment(),OrderType()==OP_BUY);
      execution.opened_utc=CSignalDelivery::ToUtc(OrderOpenTime());
      execution.entry_price=OrderOpenPrice();
      execution.closed_utc=CSignalDelivery::ToUtc(OrderCloseTime());
      execution.exit_price=OrderClosePrice();
      execution.pnl=OrderProfit()+OrderSwap()+OrderCommission();
      execution.volume=OrderLots();
      execution.commission=OrderCommission();
      execution.swap=OrderSwap();
      string comment=OrderComment();
      if(StringFind(comment,"[tp]")>=0)
         execution.result="TP";
      else if(StringFind(comment,"[sl]")>=0)
         execution.result="SL";
      else if(StringFind(comment,"so:")>=0)
         execution.result="STOPOUT";
      else
         execution.result=GlobalVariableCheck(Name(magic,"timeout."+IntegerToString((long)ticket))) ? "TIMEOUT" : "MANUAL";
      SendClosing(execution);
     }
  }
#else
//+------------------------------------------------------------------+
int OwnPositions(OwnPosition &list[])
  {
   int count=0;
   for(int i=0; i<PositionsTotal(); i++)
     {
      ulong  ticket=PositionGetTicket(i);
      string timeframe=ticket>0 ? TimeframeOf(PositionGetInteger(POSITION_MAGIC)) : "";
      if(timeframe=="")
         continue;
      ArrayResize(list,count+1);
      list[count].ticket=ticket;
      list[count].position=(ulong)PositionGetInteger(POSITION_IDENTIFIER);
      list[count].symbol=PositionGetString(POSITION_SYMBOL);
      list[count].magic=PositionGetInteger(POSITION_MAGIC);
      list[count].timeframe=timeframe;
      list[count].buys=PositionGetInteger(POSITION_TYPE)==POSITION_TYPE_BUY;
      list[count].opened=(datetime)PositionGetInteger(POSITION_TIME);
      list[count].price=PositionGetDouble(POSITION_PRICE_OPEN);
      list[count].volume=PositionGetDouble(POSITION_VOLUME);
      list[count].comment=PositionGetString(POSITION_COMMENT);
      count++;
     }
   return(count);
  }

//+------------------------------------------------------------------+
bool SendOrder(const string symbol,const bool buys,const double volume,const double price,const double stop,const double target,
               const string comment,const long magic,int &code,string &words)
  {
   Trade.SetExpertMagicNumber((ulong)magic);
   Trade.SetTypeFillingBySymbol(symbol);
   Trade.SetDeviationInPoints((ulong)InpSlippage);
   bool sent=buys ? Trade.Buy(volume,symbol,0.0,stop,target,comment) : Trade.Sell(volume,symbol,0.0,stop,target,comment);
   code=(int)Trade.ResultRetcode();
   if(sent && (code==TRADE_RETCODE_DONE || code==TRADE_RETCODE_DONE_PARTIAL || code==TRADE_RETCODE_PLACED))
      return(true);
   words=Trade.ResultRetcodeDescription();
   return(false);
  }

//+------------------------------------------------------------------+
void ClosePosition(const OwnPosition &open)
  {
   Trade.SetExpertMagicNumber((ulong)open.magic);
   Trade.SetTypeFillingBySymbol(open.symbol);
   Trade.PositionClose(open.ticket);
  }

//+------------------------------------------------------------------+
//| Volume whose loss at the stop is InpRiskPct of equity. 0: even   |
//| the smallest volume risks more; -1: it cannot be computed now    |
//+------------------------------------------------------------------+
double VolumeForRisk(const string symbol,const bool buys,const double price,const double stop)
  {
   double loss_per_lot=0.0;
   if(!OrderCalcProfit(buys ? ORDER_TYPE_BUY : ORDER_TYPE_SELL,symbol,1.0,price,stop,loss_per_lot) || loss_per_lot>=0.0)
      return(-1.0);
   double step=SymbolInfoDouble(symbol,SYMBOL_VOLUME_STEP);
   double volume=MathFloor(AccountInfoDouble(ACCOUNT_EQUITY)*InpRiskPct/100.0/-loss_per_lot/step)*step;
   if(volume<SymbolInfoDouble(symbol,SYMBOL_VOLUME_MIN))
      return(0.0);
   return(MathMin(volume,SymbolInfoDouble(symbol,SYMBOL_VOLUME_MAX)));
  }

//+------------------------------------------------------------------+
//| Reports every closed position of this EA whose closing the       |
//| service has not confirmed, also after a restart                  |
//+------------------------------------------------------------------+
void ReportClosedPositions(void)
  {
   datetime now=TimeTradeServer();
   //--- the history is searched by opening time: 52 weeks plus two months
   if(!HistorySelect(now-HISTORY_SECONDS-52*7*86400,now+86400))
      return;
   ulong positions[];
   long  magics[];
   int   deals=HistoryDealsTotal();
   for(int i=0; i<deals; i++)
     {
      ulong deal=HistoryDealGetTicket(i);
      long  magic=HistoryDealGetInteger(deal,DEAL_MAGIC);
      ulong position=(ulong)HistoryDealGetInteger(deal,DEAL_POSITION_ID);
      if(HistoryDealGetInteger(deal,DEAL_ENTRY)!=DEAL_ENTRY_IN || TimeframeOf(magic)=="" || !IsUnreported(magic,position))
         continue;
      int count=ArraySize(positions);
      ArrayResize(positions,count+1);
      ArrayResize(magics,count+1);
      positions[count]=position;
      magics[count]=magic;
     }
   for(int i=0; i<ArraySize(positions); i++)
     {
      SDExecution execution;
      if(FromHistory(positions[i],magics[i],execution))
         SendClosing(execution);
     }
  }

//+------------------------------------------------------------------+
//| All fields of a closed position; false while it is open          |
//+------------------------------------------------------------------+
bool FromHistory(const ulong position,const long magic,SDExecution &execution)
  {
   if(!HistorySelectByPosition(position))
      return(false);
   double volume_in=0.0,volume_out=0.0,paid=0.0,profit=0.0,swap=0.0,commission=0.0;
   bool   known=false;
   for(int i=0; i<HistoryDealsTotal(); i++)
     {
      ulong  deal=HistoryDealGetTicket(i);
      double volume=HistoryDealGetDouble(deal,DEAL_VOLUME);
      profit+=HistoryDealGetDouble(deal,DEAL_PROFIT);
      swap+=HistoryDealGetDouble(deal,DEAL_SWAP);
      commission+=HistoryDealGetDouble(deal,DEAL_COMMISSION)+HistoryDealGetDouble(deal,DEAL_FEE);
      if(HistoryDealGetInteger(deal,DEAL_ENTRY)==DEAL_ENTRY_IN)
        {
         if(!known)
           {
            Fill(execution,position,HistoryDealGetString(deal,DEAL_SYMBOL),magic,HistoryDealGetString(deal,DEAL_COMMENT),
                 HistoryDealGetInteger(deal,DEAL_TYPE)==DEAL_TYPE_BUY);
            execution.opened_utc=CSignalDelivery::ToUtc((datetime)HistoryDealGetInteger(deal,DEAL_TIME));
            execution.entry_price=HistoryDealGetDouble(deal,DEAL_PRICE);
            known=true;
           }
         volume_in+=volume;
         continue;
        }
      volume_out+=volume;
      paid+=volume*HistoryDealGetDouble(deal,DEAL_PRICE);
      execution.closed_utc=CSignalDelivery::ToUtc((datetime)HistoryDealGetInteger(deal,DEAL_TIME));
      execution.result=ResultOf((ENUM_DEAL_REASON)HistoryDealGetInteger(deal,DEAL_REASON));
     }
   if(!known || volume_out<=0.0 || volume_out+1e-9<volume_in)
      return(false);
   execution.exit_price=paid/volume_out;
   execution.pnl=profit+swap+commission;
   execution.volume=volume_in;
   execution.commission=commission;
   execution.swap=swap;
   return(true);
  }

//+------------------------------------------------------------------+
string ResultOf(const ENUM_DEAL_REASON reason)
  {
   switch(reason)
     {
      case DEAL_REASON_TP:
         return("TP");
      case DEAL_REASON_SL:
         return("SL");
      case DEAL_REASON_SO:
         return("STOPOUT");
      case DEAL_REASON_EXPERT:
         return("TIMEOUT");
      case DEAL_REASON_CLIENT:
      case DEAL_REASON_MOBILE:
      case DEAL_REASON_WEB:
         return("MANUAL");
     }
   return("OTHER");
  }
#endif
//+------------------------------------------------------------------+
