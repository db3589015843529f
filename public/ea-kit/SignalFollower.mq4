//+------------------------------------------------------------------+
//| SignalFollower.mq4                                               |
//| Follows the signals of one slot: the symbol and timeframe of the |
//| chart that it is attached to. MetaTrader 4.                      |
//|                                                                  |
//| A sample to read and to change, not a promise of profit. Try it  |
//| on a demo account first. Stop: 2 x ATR(14) from the entry (as    |
//| Wilder defined it; the terminal's indicator is a plain average); |
//| target: the signal's expected reward times the stop; time limit: |
//| 12 candles, as the service judges its own signals.               |
//|                                                                  |
//| The terminal's own history is the memory: what was reported is   |
//| kept in global variables of the terminal, so a restart or a lost |
//| answer leads to a repeated report, never to a missing one. Set   |
//| the tab Account History to "All History": the EA sees what is    |
//| shown there.                                                     |
//+------------------------------------------------------------------+
#property version "1.00"
#property strict

#include "SignalDelivery.mqh"

//--- the terminal shows the comments in place of the names
input string InpApiUrl        = "";       // InpApiUrl: address of the service
input string InpApiKey        = "";       // InpApiKey: your API key
input int    InpWaitSeconds   = 25;       // InpWaitSeconds: longest wait for a signal at the service (0: only look)
input int    InpPollSeconds   = 60;       // InpPollSeconds: seconds between two looks without a wait (at least 5)
input double InpMinConfidence = 0.0;      // InpMinConfidence: follow from this confidence (0..1)
input double InpRiskPct       = 0.5;      // InpRiskPct: risk per position, percent of equity
input int    InpHorizon       = 12;       // InpHorizon: close after so many candles
input string InpSymbol        = "";       // InpSymbol: the service's name, if the broker's differs
input int    InpMagicNumber   = 20260900; // InpMagicNumber: marks this EA's positions
input int    InpSlippage      = 10;       // InpSlippage: points by which a price may have moved

#define REPORTED_OPEN   1.0
#define REPORTED_CLOSED 2.0
#define HISTORY_SECONDS (60*86400)
#define ATR_PERIOD      14
#define ATR_CANDLES     300

CSignalDelivery Service;
string          SlotSymbol;
string          SlotTimeframe;
//--- one for each timeframe, so that two charts of a symbol keep their positions apart
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
      //--- each look waits at the service itself: the next one follows at once
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
      if(Service.Problem()=="")
         Note("no signal for "+SlotSymbol+" "+SlotTimeframe+": see InpSymbol, and the symbols of your plan");
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
   //--- the broker may cut a comment to 31 letters
   string comment=StringFormat("SDS:%I64d:%.4f",signal.pred_id,signal.confidence);
   ResetLastError();
   int    ticket=OrderSend(_Symbol,buys ? OP_BUY : OP_SELL,volume,price,InpSlippage,stop,target,comment,Magic,0,clrNONE);
   if(ticket>0)
     {
      GlobalVariableSet(seen,1.0);
      return;
     }
   //--- tried again at each look while the signal is fresh, over a whole weekend too: said once
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
//| the smallest risks more; -1: it cannot be told at the moment     |
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
//| ATR of the closed candles, by Wilder; 0 when there are too few   |
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
      //--- the mean of the first ones, then each new one with the weight of one
      atr+=(i<ATR_PERIOD ? range : range-atr)/ATR_PERIOD;
     }
   return(atr);
  }

//+------------------------------------------------------------------+
//| Whether the order that is selected is a position of this EA      |
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
   //--- why it closed is known here alone: the history does not say
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
//| Reports every position of this EA that has ended and was not     |
//| confirmed as closed yet, also after a restart                    |
//+------------------------------------------------------------------+
void ReportClosedPositions(void)
  {
   //--- as long ago as the horizon, weekends included, and two months of rest
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
//| The server adds to the comment what has closed a position        |
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
//| What is known of the order that is selected, and from its        |
//| comment SDS:<pred_id>:<confidence>                               |
//+------------------------------------------------------------------+
void Fill(SDExecution &execution)
  {
   string part[];
   bool   own=StringSplit(OrderComment(),':',part)>=3 && part[0]=="SDS";
   execution.ticket=(ulong)OrderTicket();
   execution.pred_id=own ? StringToInteger(part[1]) : 0;
   //--- reading stops at the bracket of [tp]
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
//| Keeps what the last look has shown, and prints it when it is new |
//+------------------------------------------------------------------+
void Note(const string what)
  {
   if(Newest!=what)
      Print(what);
   Newest=what;
  }

//+------------------------------------------------------------------+
//| Name of a global variable of the terminal (at most 63 letters)   |
//+------------------------------------------------------------------+
string Name(const string what)
  {
   return("SDS."+IntegerToString(Magic)+"."+what);
  }
//+------------------------------------------------------------------+
