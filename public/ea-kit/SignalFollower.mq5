//+------------------------------------------------------------------+
//| SignalFollower.mq5                                               |
//| Follows the signals of one slot: the symbol and timeframe of its |
//| chart. MetaTrader 5.                                             |
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
//| missing.                                                         |
//+------------------------------------------------------------------+
#property version "1.00"

#include <Trade\Trade.mqh>
#include "SignalDelivery.mqh"

input group "Service"
//--- the terminal shows these comments instead of the names
input string InpApiUrl        = "";       // InpApiUrl: address of the service
input string InpApiKey        = "";       // InpApiKey: your API key
input int    InpWaitSeconds   = 25;       // InpWaitSeconds: seconds of long polling, at most 25 (0: poll)
input int    InpPollSeconds   = 60;       // InpPollSeconds: seconds between polls (at least 5)
input group "Trading"
input double InpMinConfidence = 0.0;      // InpMinConfidence: lowest confidence to follow (0..1)
input double InpRiskPct       = 0.5;      // InpRiskPct: risk per position, percent of equity
input int    InpHorizon       = 12;       // InpHorizon: close after this number of candles
input string InpSymbol        = "";       // InpSymbol: the service's name, if the broker's differs
input long   InpMagicNumber   = 20260900; // InpMagicNumber: identifies this EA's positions

#define REPORTED_OPEN   1.0
#define REPORTED_CLOSED 2.0
#define HISTORY_SECONDS (60*86400)
#define ATR_PERIOD      14
#define ATR_CANDLES     300

CSignalDelivery Service;
CTrade          Trade;
string          SlotSymbol;
string          SlotTimeframe;
//--- one magic number per timeframe, so that two charts of a symbol keep their positions apart
long            Magic;
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
   Trade.SetExpertMagicNumber((ulong)Magic);
   Trade.SetTypeFillingBySymbol(_Symbol);
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
   string seen=Name("seen."+IntegerToString((long)signal.pred_id));
   if(GlobalVariableCheck(seen))
      return;
   string paused=Service.PausedSince(SlotSymbol,SlotTimeframe);
   if(paused!="")
      Note("newest signal "+signal.direction+" of "+signal.ts+", paused in the portal since "+paused);
   string why=signal.stale ? "TOO_LATE" : signal.confidence<InpMinConfidence ? "CONFIDENCE" :
              paused!="" ? "PAUSE" : IsTaken() ? "OWN_POSITION" : "";
   if(why!="")
     {
      Service.NotTraded(signal.pred_id,why);
      return;
     }

   bool   buys=signal.direction=="BUY";
   double price=SymbolInfoDouble(_Symbol,buys ? SYMBOL_ASK : SYMBOL_BID);
   double distance=2.0*Atr();
   if(price<=0.0 || distance<=0.0)
      return;
   double stop=NormalizeDouble(buys ? price-distance : price+distance,_Digits);
   double target=NormalizeDouble(buys ? price+signal.expected_rr*distance : price-signal.expected_rr*distance,_Digits);
   double volume=VolumeForRisk(buys ? ORDER_TYPE_BUY : ORDER_TYPE_SELL,price,stop);
   if(volume<0.0)
      return;
   if(volume==0.0)
     {
      Print("The smallest volume would risk more than ",DoubleToString(InpRiskPct,2)," %. Not followed.");
      Service.NotTraded(signal.pred_id,"VOLUME");
      GlobalVariableSet(seen,1.0);
      return;
     }
   string comment=StringFormat("SDS:%I64d:%.4f",signal.pred_id,signal.confidence);
   bool   sent=buys ? Trade.Buy(volume,_Symbol,0.0,stop,target,comment) : Trade.Sell(volume,_Symbol,0.0,stop,target,comment);
   uint   code=Trade.ResultRetcode();
   if(sent && (code==TRADE_RETCODE_DONE || code==TRADE_RETCODE_DONE_PARTIAL || code==TRADE_RETCODE_PLACED))
     {
      GlobalVariableSet(seen,1.0);
      return;
     }
   //--- each check tries again while the signal is fresh, even over a weekend, so print the refusal once
   static string said="";
   string refusal="Order for signal "+IntegerToString((long)signal.pred_id)+" refused: "+Trade.ResultRetcodeDescription();
   if(said!=refusal)
      Print(refusal);
   said=refusal;
   Service.NotTraded(signal.pred_id,"TERMINAL_ERROR",(int)code);
  }

//+------------------------------------------------------------------+
//| Volume whose loss at the stop is InpRiskPct of equity. 0: even   |
//| the smallest volume risks more; -1: it cannot be computed now    |
//+------------------------------------------------------------------+
double VolumeForRisk(const ENUM_ORDER_TYPE type,const double price,const double stop)
  {
   double loss_per_lot=0.0;
   if(!OrderCalcProfit(type,_Symbol,1.0,price,stop,loss_per_lot) || loss_per_lot>=0.0)
      return(-1.0);
   double step=SymbolInfoDouble(_Symbol,SYMBOL_VOLUME_STEP);
   double risk=AccountInfoDouble(ACCOUNT_EQUITY)*InpRiskPct/100.0;
   double volume=MathFloor(risk/-loss_per_lot/step)*step;
   if(volume<SymbolInfoDouble(_Symbol,SYMBOL_VOLUME_MIN))
      return(0.0);
   return(MathMin(volume,SymbolInfoDouble(_Symbol,SYMBOL_VOLUME_MAX)));
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
//| Whether the slot or, on a netting account, the symbol already    |
//| has a position                                                   |
//+------------------------------------------------------------------+
bool IsTaken(void)
  {
   if(OwnPosition()>0)
      return(true);
   //--- on a netting account an order changes any open position of the symbol, even one from another EA
   return(AccountInfoInteger(ACCOUNT_MARGIN_MODE)!=ACCOUNT_MARGIN_MODE_RETAIL_HEDGING && PositionSelect(_Symbol));
  }

//+------------------------------------------------------------------+
//| Ticket of this EA's open position on this chart's symbol, or 0   |
//+------------------------------------------------------------------+
ulong OwnPosition(void)
  {
   for(int i=PositionsTotal()-1; i>=0; i--)
     {
      ulong ticket=PositionGetTicket(i);
      if(ticket>0 && PositionGetString(POSITION_SYMBOL)==_Symbol && PositionGetInteger(POSITION_MAGIC)==Magic)
         return(ticket);
     }
   return(0);
  }

//+------------------------------------------------------------------+
void CloseOverdue(void)
  {
   ulong ticket=OwnPosition();
   if(ticket>0 && iBarShift(_Symbol,PERIOD_CURRENT,(datetime)PositionGetInteger(POSITION_TIME))>=InpHorizon)
      Trade.PositionClose(ticket);
  }

//+------------------------------------------------------------------+
void ReportOpenPositions(void)
  {
   ulong ticket=OwnPosition();
   if(ticket==0)
      return;
   SDExecution execution;
   ulong position=(ulong)PositionGetInteger(POSITION_IDENTIFIER);
   string reported=Name(IntegerToString((long)position));
   if(GlobalVariableCheck(reported))
      return;
   Fill(execution,position,PositionGetString(POSITION_COMMENT),PositionGetInteger(POSITION_TYPE)==POSITION_TYPE_BUY);
   execution.opened_utc=CSignalDelivery::ToUtc((datetime)PositionGetInteger(POSITION_TIME));
   execution.entry_price=PositionGetDouble(POSITION_PRICE_OPEN);
   execution.volume=PositionGetDouble(POSITION_VOLUME);
   if(Service.Report(execution))
      GlobalVariableSet(reported,REPORTED_OPEN);
  }

//+------------------------------------------------------------------+
//| Reports every closed position of this EA whose closing the       |
//| service has not confirmed, also after a restart                  |
//+------------------------------------------------------------------+
void ReportClosedPositions(void)
  {
   datetime now=TimeTradeServer();
   //--- the history is searched by opening time: over the horizon including weekends, plus two months
   datetime from=now-HISTORY_SECONDS-2*InpHorizon*PeriodSeconds();
   if(!HistorySelect(from,now+86400))
      return;
   ulong positions[];
   int   deals=HistoryDealsTotal();
   for(int i=0; i<deals; i++)
     {
      ulong deal=HistoryDealGetTicket(i);
      if(HistoryDealGetInteger(deal,DEAL_ENTRY)!=DEAL_ENTRY_IN)
         continue;
      if(HistoryDealGetInteger(deal,DEAL_MAGIC)!=Magic || HistoryDealGetString(deal,DEAL_SYMBOL)!=_Symbol)
         continue;
      ulong  position=(ulong)HistoryDealGetInteger(deal,DEAL_POSITION_ID);
      string reported=Name(IntegerToString((long)position));
      if(GlobalVariableCheck(reported) && GlobalVariableGet(reported)>=REPORTED_CLOSED)
         continue;
      int count=ArraySize(positions);
      ArrayResize(positions,count+1);
      positions[count]=position;
     }
   for(int i=0; i<ArraySize(positions); i++)
     {
      SDExecution execution;
      if(FromHistory(positions[i],execution) && Service.Report(execution))
         GlobalVariableSet(Name(IntegerToString((long)positions[i])),REPORTED_CLOSED);
     }
  }

//+------------------------------------------------------------------+
//| All fields of a closed position; false while it is open          |
//+------------------------------------------------------------------+
bool FromHistory(const ulong position,SDExecution &execution)
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
            Fill(execution,position,HistoryDealGetString(deal,DEAL_COMMENT),HistoryDealGetInteger(deal,DEAL_TYPE)==DEAL_TYPE_BUY);
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

//+------------------------------------------------------------------+
//| Fields of the comment SDS:<pred_id>:<confidence>                 |
//+------------------------------------------------------------------+
void Fill(SDExecution &execution,const ulong position,const string comment,const bool bought)
  {
   string part[];
   bool   own=StringSplit(comment,':',part)==3 && part[0]=="SDS";
   execution.ticket=position;
   execution.pred_id=own ? StringToInteger(part[1]) : 0;
   execution.confidence=own ? StringToDouble(part[2]) : 0.0;
   execution.symbol=SlotSymbol;
   execution.timeframe=SlotTimeframe;
   execution.direction=bought ? "BUY" : "SELL";
   execution.closed_utc=0;
   execution.exit_price=0.0;
   execution.pnl=0.0;
   execution.result="";
   execution.volume=0.0;
   execution.commission=0.0;
   execution.swap=0.0;
   execution.magic=(long)Magic;
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
