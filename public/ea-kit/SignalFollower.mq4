//+------------------------------------------------------------------+
//| SignalFollower.mq4                                               |
//| Follows the signals of one slot: the symbol and timeframe of its |
//| chart. MetaTrader 4.                                             |
//|                                                                  |
//| This is a sample to read and change, not a promise of profit.    |
//| Try it on a demo account first. The stop is 2 x ATR(14) from the |
//| entry (Wilder's ATR; the terminal's indicator is a plain         |
//| average), the target is expected_rr times the stop, and the time |
//| limit is 12 candles. The service judges its own signals by the   |
//| same rules.                                                      |
//|                                                                  |
//| The EA reads positions from the terminal's history and stores in |
//| global variables of the terminal what it has reported. After a   |
//| restart or a lost answer it repeats a report, so no report is    |
//| missing. Set the tab Account History to "All History", because   |
//| the EA sees only what is shown there.                            |
//+------------------------------------------------------------------+
#property version "1.00"
#property strict

#include "SignalDelivery.mqh"

//--- the terminal shows these comments instead of the names
input string InpApiUrl        = "";       // InpApiUrl: address of the service
input string InpApiKey        = "";       // InpApiKey: your API key
input int    InpWaitSeconds   = 25;       // InpWaitSeconds: seconds of long polling, at most 25 (0: poll)
input int    InpPollSeconds   = 60;       // InpPollSeconds: seconds between polls (at least 5)
input double InpMinConfidence = 0.0;      // InpMinConfidence: lowest confidence to follow (0..1)
input double InpRiskPct       = 0.5;      // InpRiskPct: risk per position, percent of equity
input int    InpHorizon       = 12;       // InpHorizon: close after this number of candles
input string InpSymbol        = "";       // InpSymbol: the service's name, if the broker's differs
input int    InpMagicNumber   = 20260900; // InpMagicNumber: identifies this EA's positions
input int    InpSlippage      = 10;       // InpSlippage: accepted slippage in points

#define REPORTED_OPEN   1.0
#define REPORTED_CLOSED 2.0
#define HISTORY_SECONDS (60*86400)
#define ATR_PERIOD      14
#define ATR_CANDLES     300

CSignalDelivery Service;
string          SlotSymbol;
string          SlotTimeframe;
//--- one magic number per timeframe, so that two charts of a symbol keep their positions apart
int             Magic;
bool            FirstLook;
string          Newest;

//+------------------------------------------------------------------+
int OnInit(void)
  {
   if(InpApiUrl=="" || InpApiKey=="")
     {
      Alert("Fill in InpApiUrl and InpApiKey.");
      return(INIT_PARAMETERS_INCORRECT);
     }
   SlotTimeframe=StringSubstr(EnumToString((ENUM_TIMEFRAMES)_Period),7);
   SlotSymbol=InpSymbol=="" ? StringSubstr(_Symbol,0,6) : InpSymbol;
   StringToUpper(SlotSymbol);
   Magic=InpMagicNumber+PeriodSeconds()/60;
   Service.Init(InpApiUrl,InpApiKey);
   Newest="";
   FirstLook=true;
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
   Follow();
   ReportOpenPositions();
   Comment(SlotSymbol," ",SlotTimeframe,"  ",Service.Problem()=="" ? "connected; "+Newest : Service.Problem());
  }

//+------------------------------------------------------------------+
//| Opens a position for a fresh signal that was not followed yet    |
//+------------------------------------------------------------------+
void Follow(void)
  {
   SDSignal signal;
   if(!Service.Find(SlotSymbol,SlotTimeframe,signal,InpWaitSeconds,MathMax(5,InpPollSeconds)))
     {
      if(Service.PausedByOperator(SlotSymbol,SlotTimeframe))
         Note(SlotSymbol+" "+SlotTimeframe+" is paused by the operator: no signals until the pause ends");
      else if(Service.Problem()=="")
         Note("no signal for "+SlotSymbol+" "+SlotTimeframe+": check InpSymbol and the symbols of your plan");
      return;
     }
   Note("newest signal "+signal.direction+" of "+signal.ts+(signal.stale ? ", stale" : ""));
   if(signal.direction=="NO_TRADE" || signal.expected_rr<=0.0)
      return;
   string seen=Name("seen."+IntegerToString(signal.pred_id));
   if(GlobalVariableCheck(seen))
      return;
   string paused=Service.PausedSince(SlotSymbol,SlotTimeframe);
   if(paused!="")
      Note("newest signal "+signal.direction+" of "+signal.ts+", paused in the portal since "+paused);
   string why=signal.stale ? "TOO_LATE" : signal.confidence<InpMinConfidence ? "CONFIDENCE" :
              paused!="" ? "PAUSE" : SelectOwn() ? "OWN_POSITION" : "";
   if(why!="")
     {
      Service.NotTraded(signal.pred_id,why);
      return;
     }

   RefreshRates();
   bool   buys=signal.direction=="BUY";
   double price=SymbolInfoDouble(_Symbol,buys ? SYMBOL_ASK : SYMBOL_BID);
   double distance=2.0*Atr();
   if(price<=0.0 || distance<=0.0)
      return;
   double stop=NormalizeDouble(buys ? price-distance : price+distance,_Digits);
   double target=NormalizeDouble(buys ? price+signal.expected_rr*distance : price-signal.expected_rr*distance,_Digits);
   double volume=VolumeForRisk(distance);
   if(volume<0.0)
      return;
   if(volume==0.0)
     {
      Print("The smallest volume would risk more than ",DoubleToString(InpRiskPct,2)," %. Not followed.");
      Service.NotTraded(signal.pred_id,"VOLUME");
      GlobalVariableSet(seen,1.0);
      return;
     }
   //--- the broker may cut a comment to 31 characters
   string comment=StringFormat("SDS:%I64d:%.4f",signal.pred_id,signal.confidence);
   ResetLastError();
   int    ticket=OrderSend(_Symbol,buys ? OP_BUY : OP_SELL,volume,price,InpSlippage,stop,target,comment,Magic,0,clrNONE);
   if(ticket>0)
     {
      GlobalVariableSet(seen,1.0);
      return;
     }
   //--- each check tries again while the signal is fresh, even over a weekend, so print the refusal once
   static string said="";
   int    code=GetLastError();
   string refusal="Order for signal "+IntegerToString(signal.pred_id)+" refused: error "+IntegerToString(code);
   if(said!=refusal)
      Print(refusal);
   said=refusal;
   Service.NotTraded(signal.pred_id,"TERMINAL_ERROR",code);
  }

//+------------------------------------------------------------------+
//| Volume whose loss at the stop is InpRiskPct of equity. 0: even   |
//| the smallest volume risks more; -1: it cannot be computed now    |
//+------------------------------------------------------------------+
double VolumeForRisk(const double distance)
  {
   double tick_size=MarketInfo(_Symbol,MODE_TICKSIZE);
   double tick_value=MarketInfo(_Symbol,MODE_TICKVALUE);
   double step=MarketInfo(_Symbol,MODE_LOTSTEP);
   if(tick_size<=0.0 || tick_value<=0.0 || step<=0.0)
      return(-1.0);
   double loss_per_lot=distance/tick_size*tick_value;
   double risk=AccountEquity()*InpRiskPct/100.0;
   double volume=MathFloor(risk/loss_per_lot/step)*step;
   if(volume<MarketInfo(_Symbol,MODE_MINLOT))
      return(0.0);
   return(MathMin(volume,MarketInfo(_Symbol,MODE_MAXLOT)));
  }

//+------------------------------------------------------------------+
//| Wilder's ATR of the closed candles; 0 if there are too few       |
//+------------------------------------------------------------------+
double Atr(void)
  {
   MqlRates candle[];
   int count=CopyRates(_Symbol,PERIOD_CURRENT,1,ATR_CANDLES,candle);
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
//| Whether the selected order is a position of this EA              |
//+------------------------------------------------------------------+
bool IsOwn(void)
  {
   return(OrderSymbol()==_Symbol && OrderMagicNumber()==Magic && (OrderType()==OP_BUY || OrderType()==OP_SELL));
  }

//+------------------------------------------------------------------+
//| Selects this EA's open position on this chart's symbol           |
//+------------------------------------------------------------------+
bool SelectOwn(void)
  {
   for(int i=OrdersTotal()-1; i>=0; i--)
      if(OrderSelect(i,SELECT_BY_POS,MODE_TRADES) && IsOwn())
         return(true);
   return(false);
  }

//+------------------------------------------------------------------+
void CloseOverdue(void)
  {
   if(!SelectOwn() || iBarShift(_Symbol,PERIOD_CURRENT,OrderOpenTime())<InpHorizon)
      return;
   RefreshRates();
   int    ticket=OrderTicket();
   double price=SymbolInfoDouble(_Symbol,OrderType()==OP_BUY ? SYMBOL_BID : SYMBOL_ASK);
   //--- only this place knows the reason; the history does not contain it
   GlobalVariableSet(Name("timeout."+IntegerToString(ticket)),1.0);
   if(!OrderClose(ticket,OrderLots(),price,InpSlippage,clrNONE))
      GlobalVariableDel(Name("timeout."+IntegerToString(ticket)));
  }

//+------------------------------------------------------------------+
void ReportOpenPositions(void)
  {
   if(!SelectOwn())
      return;
   string reported=Name(IntegerToString(OrderTicket()));
   if(GlobalVariableCheck(reported))
      return;
   SDExecution execution;
   Fill(execution);
   if(Service.Report(execution))
      GlobalVariableSet(reported,REPORTED_OPEN);
  }

//+------------------------------------------------------------------+
//| Reports every closed position of this EA whose closing the       |
//| service has not confirmed, also after a restart                  |
//+------------------------------------------------------------------+
void ReportClosedPositions(void)
  {
   //--- search back over the horizon including weekends, plus two months
   datetime from=TimeTradeServer()-HISTORY_SECONDS-2*InpHorizon*PeriodSeconds();
   for(int i=OrdersHistoryTotal()-1; i>=0; i--)
     {
      if(!OrderSelect(i,SELECT_BY_POS,MODE_HISTORY) || !IsOwn() || OrderCloseTime()<from)
         continue;
      int    ticket=OrderTicket();
      string reported=Name(IntegerToString(ticket));
      if(GlobalVariableCheck(reported) && GlobalVariableGet(reported)>=REPORTED_CLOSED)
         continue;
      SDExecution execution;
      Fill(execution);
      execution.closed_utc=CSignalDelivery::ToUtc(OrderCloseTime());
      execution.exit_price=OrderClosePrice();
      execution.pnl=OrderProfit()+OrderSwap()+OrderCommission();
      execution.result=ResultOf(ticket,OrderComment());
      if(Service.Report(execution))
         GlobalVariableSet(reported,REPORTED_CLOSED);
     }
  }

//+------------------------------------------------------------------+
//| Reason of the closing, which the server adds to the comment      |
//+------------------------------------------------------------------+
string ResultOf(const int ticket,const string comment)
  {
   if(StringFind(comment,"[tp]")>=0)
      return("TP");
   if(StringFind(comment,"[sl]")>=0)
      return("SL");
   if(StringFind(comment,"so:")>=0)
      return("STOPOUT");
   return(GlobalVariableCheck(Name("timeout."+IntegerToString(ticket))) ? "TIMEOUT" : "MANUAL");
  }

//+------------------------------------------------------------------+
//| Fields of the selected order and of its comment                  |
//| SDS:<pred_id>:<confidence>                                       |
//+------------------------------------------------------------------+
void Fill(SDExecution &execution)
  {
   string part[];
   bool   own=StringSplit(OrderComment(),':',part)>=3 && part[0]=="SDS";
   execution.ticket=(ulong)OrderTicket();
   execution.pred_id=own ? StringToInteger(part[1]) : 0;
   //--- the number ends at the bracket of [tp]
   execution.confidence=own ? StringToDouble(part[2]) : 0.0;
   execution.symbol=SlotSymbol;
   execution.timeframe=SlotTimeframe;
   execution.direction=OrderType()==OP_BUY ? "BUY" : "SELL";
   execution.opened_utc=CSignalDelivery::ToUtc(OrderOpenTime());
   execution.entry_price=OrderOpenPrice();
   execution.closed_utc=0;
   execution.exit_price=0.0;
   execution.pnl=0.0;
   execution.result="";
   execution.volume=OrderLots();
   execution.commission=OrderCommission();
   execution.swap=OrderSwap();
   execution.magic=(long)OrderMagicNumber();
  }

//+------------------------------------------------------------------+
//| Stores the result of the last check, and prints it when it       |
//| changes                                                          |
//+------------------------------------------------------------------+
void Note(const string what)
  {
   if(Newest!=what)
      Print(what);
   Newest=what;
  }

//+------------------------------------------------------------------+
//| Name of a global variable of the terminal (at most 63            |
//| characters)                                                      |
//+------------------------------------------------------------------+
string Name(const string what)
  {
   return("SDS."+IntegerToString(Magic)+"."+what);
  }
//+------------------------------------------------------------------+
