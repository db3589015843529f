//+------------------------------------------------------------------+
//| SignalDelivery.mqh                                               |
//| Reads signals from a signal delivery service and reports what    |
//| was done with them. MetaTrader 5 and 4.                          |
//|                                                                  |
//| Checked by tests: with the sample EA it is compiled as C++ into  |
//| a stand-in of the terminal and run against the service itself.   |
//| MetaEditor takes no part in that; if it objects, please report   |
//| the build number with the message.                               |
//|                                                                  |
//| Before first use: Tools > Options > Expert Advisors, tick        |
//| "Allow WebRequest for listed URL" and add the service's address. |
//+------------------------------------------------------------------+

#define SDS_TIMEOUT_MS      8000
#define SDS_RETRY_SECONDS   15
#define SDS_KEY_SECONDS     600
//--- WebRequest blocks the thread of its chart until the answer is there, and the terminal waits for that thread
//--- when the EA is removed: no wait is longer than this, also where the service would allow 55
#define SDS_LONGEST_WAIT    25
#define SDS_NO_WAIT_SECONDS 600

#ifdef __MQL4__
//+------------------------------------------------------------------+
//| Milliseconds since the start, which MetaTrader 4 counts in 32    |
//| bits only                                                        |
//+------------------------------------------------------------------+
ulong GetTickCount64(void)
  {
   static uint  last=0;
   static ulong turns=0;
   uint         ticks=GetTickCount();
   if(ticks<last)
      turns++;
   last=ticks;
   return(turns*4294967296+ticks);
  }

//+------------------------------------------------------------------+
//| Time of the server. MetaTrader 4 knows only that of the last     |
//| quote: how far it is ahead of UTC is learned from fresh quotes   |
//| and kept, so that it is right on weekends too                    |
//+------------------------------------------------------------------+
datetime TimeTradeServer(void)
  {
   static datetime quoted=0;
   datetime        last=TimeCurrent();
   if(last!=quoted && quoted!=0)
      GlobalVariableSet("SDS.offset",MathRound((double)((long)last-(long)TimeGMT())/900.0)*900.0);
   quoted=last;
   if(!GlobalVariableCheck("SDS.offset"))
      return(last);
   return((datetime)((long)TimeGMT()+(long)GlobalVariableGet("SDS.offset")));
  }
#endif

//--- the newest signal of one slot
struct SDSignal
  {
   long              pred_id;
   string            symbol;
   string            timeframe;
   string            direction;      // BUY, SELL or NO_TRADE
   double            confidence;     // 0..1
   double            expected_rr;    // reward for a risk of 1
   string            ts;             // open time of the candle, UTC
   bool              stale;
  };

//--- one position, open or closed, as it is reported
struct SDExecution
  {
   ulong             ticket;
   long              pred_id;        // 0: none
   string            symbol;
   string            timeframe;
   string            direction;
   double            confidence;     // known when pred_id is
   datetime          opened_utc;
   double            entry_price;
   datetime          closed_utc;     // 0: still open
   double            exit_price;
   double            pnl;
   string            result;         // TP, SL, TIMEOUT, MANUAL, STOPOUT, OTHER
   double            volume;         // lots, 0: not told
   double            commission;     // with fees; part of pnl
   double            swap;           // part of pnl
   long              magic;
  };

//+------------------------------------------------------------------+
//| One connection to the service                                    |
//+------------------------------------------------------------------+
class CSignalDelivery
  {
private:
   string            m_url;
   string            m_key;
   ulong             m_quiet_until_ms; // of the tick count, which no clock change moves
   string            m_problem;
   string            m_scan;           // the newest list of signals
   string            m_tag;            // names that list to the service
   ulong             m_no_wait_until_ms;
   ulong             m_next_look_ms;

   bool              Look(const int wait_seconds,const int poll_seconds);
   int               Request(const string method,const string path,const string body,string &answer,
                             string &received_headers,const string tag,const int wait_seconds);
   static string     Header(const string headers,const string name);
   void              Wait(const int seconds,const string why);
   string            NetworkProblem(const int code) const;

public:
                     CSignalDelivery(void): m_quiet_until_ms(0),m_problem(""),m_no_wait_until_ms(0),m_next_look_ms(0) {}
   void              Init(const string url,const string key);
   //--- what stands in the way at the moment, empty when nothing does
   string            Problem(void) const { return(m_problem); }
   bool              Ready(void) const { return(GetTickCount64()>=m_quiet_until_ms); }
   bool              Find(const string symbol,const string timeframe,SDSignal &signal,
                          const int wait_seconds=0,const int poll_seconds=0);
   bool              Report(const SDExecution &execution);

   static string     Text(const string object,const string name);
   static double     Number(const string object,const string name);
   static string     Iso(const datetime utc);
   static datetime   ToUtc(const datetime server);
   static string     Body(const SDExecution &execution);
  };

//+------------------------------------------------------------------+
//| Address without a trailing slash, key without stray blanks.      |
//| A new address or key is tried at once                            |
//+------------------------------------------------------------------+
void CSignalDelivery::Init(const string url,const string key)
  {
   m_url=url;
   m_key=key;
   m_quiet_until_ms=0;
   m_problem="";
   m_scan="";
   m_tag="";
   m_no_wait_until_ms=0;
   m_next_look_ms=0;
   StringTrimLeft(m_url);
   StringTrimRight(m_url);
   StringTrimLeft(m_key);
   StringTrimRight(m_key);
   while(StringLen(m_url)>0 && StringGetCharacter(m_url,StringLen(m_url)-1)=='/')
      m_url=StringSubstr(m_url,0,StringLen(m_url)-1);
  }

//+------------------------------------------------------------------+
//| Brings the list of signals up to date. With wait_seconds the     |
//| service answers when the list changes, or after that time that   |
//| it has not: a signal is there within a second of its making.     |
//| Call it from a timer, not from OnTick: it blocks while it waits  |
//+------------------------------------------------------------------+
bool CSignalDelivery::Look(const int wait_seconds,const int poll_seconds)
  {
   if(m_scan!="" && GetTickCount64()<m_next_look_ms)
      return(Ready());
   string answer,headers;
   string path="/api/scan?expand=validity";
   int    wait=GetTickCount64()<m_no_wait_until_ms ? 0 : MathMin(wait_seconds,SDS_LONGEST_WAIT);
   int    status=0;
   if(wait>0)
      status=Request("GET",path+"&wait="+IntegerToString(wait),"",answer,headers,m_tag,wait);
   if(wait>0 && status==429 && Text(answer,"code")=="too_many_open")
     {
      //--- other charts with this key wait already: this one asks now and then
      m_no_wait_until_ms=GetTickCount64()+(ulong)SDS_NO_WAIT_SECONDS*1000;
      wait=0;
     }
   if(wait==0)
      status=Request("GET",path,"",answer,headers,"",0);
   if(status==304)
      return(true);
   if(status!=200)
      return(false);
   m_scan=answer;
   m_tag=Header(headers,"etag");
   //--- a service that knows no wait answers at once, and would be asked without end
   if(wait>0 && Header(headers,"signal-seq")=="")
     {
      m_no_wait_until_ms=GetTickCount64()+(ulong)SDS_NO_WAIT_SECONDS*1000;
      wait=0;
     }
   m_next_look_ms=wait>0 ? 0 : GetTickCount64()+(ulong)poll_seconds*1000;
   return(true);
  }

//+------------------------------------------------------------------+
//| The newest signal of a slot. False when there is none to follow  |
//+------------------------------------------------------------------+
bool CSignalDelivery::Find(const string symbol,const string timeframe,SDSignal &signal,
                           const int wait_seconds,const int poll_seconds)
  {
   if(!Look(wait_seconds,poll_seconds))
      return(false);
   string answer=m_scan;
   int at=StringFind(answer,"\"items\":[");
   if(at<0)
     {
      m_scan="";
      m_tag="";
      Wait(SDS_RETRY_SECONDS,"What answers at "+m_url+" is not the service. Is InpApiUrl right?");
     }
   while(at>=0)
     {
      int from=StringFind(answer,"{",at);
      if(from<0)
         break;
      int to=StringFind(answer,"}",from);
      if(to<0)
         break;
      string item=StringSubstr(answer,from,to-from+1);
      if(Text(item,"symbol")==symbol && Text(item,"timeframe")==timeframe)
        {
         signal.pred_id=StringToInteger(Text(item,"pred_id"));
         signal.symbol=symbol;
         signal.timeframe=timeframe;
         signal.direction=Text(item,"signal");
         signal.confidence=Number(item,"confidence");
         signal.expected_rr=Number(item,"expected_rr");
         signal.ts=Text(item,"ts");
         signal.stale=Text(item,"stale")!="false";
         return(true);
        }
      at=to;
     }
   return(false);
  }

//+------------------------------------------------------------------+
//| Reports a position. Safe to repeat: the ticket is the key        |
//+------------------------------------------------------------------+
bool CSignalDelivery::Report(const SDExecution &execution)
  {
   string answer,headers;
   int status=Request("POST","/api/executions",Body(execution),answer,headers,"",0);
   if(status==422)
     {
      //--- the service says which field it could not take; repeating the same body would not help
      Print("Report of ticket ",execution.ticket," refused: ",Text(answer,"detail"));
      return(true);
     }
   return(status==201);
  }

//+------------------------------------------------------------------+
//| The report as JSON. Plain ASCII; times are UTC                   |
//+------------------------------------------------------------------+
string CSignalDelivery::Body(const SDExecution &execution)
  {
   string body=StringFormat("{\"ticket\":\"%I64u\",\"symbol\":\"%s\",\"timeframe\":\"%s\",\"signal\":\"%s\",\"opened_at\":\"%s\",\"entry_price\":%.8f",
                            execution.ticket,execution.symbol,execution.timeframe,execution.direction,
                            Iso(execution.opened_utc),execution.entry_price);
   //--- which signal was followed is unknown when the broker has changed the comment
   if(execution.pred_id>0)
      body+=StringFormat(",\"pred_id\":%I64d,\"confidence\":%.6f",execution.pred_id,execution.confidence);
   if(execution.closed_utc>0)
      body+=StringFormat(",\"closed_at\":\"%s\",\"exit_price\":%.8f,\"pnl\":%.2f,\"result\":\"%s\"",
                         Iso(execution.closed_utc),execution.exit_price,execution.pnl,execution.result);
   //--- told beside the result: the service sums them up and tells accounts apart by them
   if(execution.volume>0.0)
      body+=StringFormat(",\"volume\":%.8f,\"currency\":\"%s\",\"magic\":\"%I64d\"",
                         execution.volume,AccountInfoString(ACCOUNT_CURRENCY),execution.magic);
   if(execution.volume>0.0 && execution.closed_utc>0)
      body+=StringFormat(",\"commission\":%.2f,\"swap\":%.2f",execution.commission,execution.swap);
   return(body+"}");
  }

//+------------------------------------------------------------------+
//| One HTTP exchange. Returns the status, or -1 without an answer   |
//+------------------------------------------------------------------+
int CSignalDelivery::Request(const string method,const string path,const string body,string &answer,
                             string &received_headers,const string tag,const int wait_seconds)
  {
   if(!Ready())
      return(-1);
   char   sent[],received[];
   string headers="X-API-Key: "+m_key+"\r\nContent-Type: application/json\r\n";
   if(tag!="")
      headers+="If-None-Match: "+tag+"\r\n";
   if(body!="")
     {
      //--- the explicit length keeps the terminating zero out of the body
      int copied=StringToCharArray(body,sent,0,StringLen(body),CP_UTF8);
      if(copied>0 && sent[copied-1]==0)
         copied--;
      ArrayResize(sent,copied);
     }
   ResetLastError();
   int status=WebRequest(method,m_url+path,headers,SDS_TIMEOUT_MS+1000*wait_seconds,sent,received,received_headers);
   if(status==-1)
     {
      Wait(SDS_RETRY_SECONDS,NetworkProblem(GetLastError()));
      return(-1);
     }
   answer=CharArrayToString(received,0,WHOLE_ARRAY,CP_UTF8);
   if(status==200 || status==201 || status==304)
      m_problem="";
   else if(status==401)
      Wait(SDS_KEY_SECONDS,"Key refused: "+Text(answer,"detail"));
   else if((status==429 && !(wait_seconds>0 && Text(answer,"code")=="too_many_open")) || (status>=500 && status<=599))
     {
      string after=Header(received_headers,"retry-after");
      int    seconds=after=="" ? SDS_RETRY_SECONDS : (int)MathMax(1,StringToInteger(after));
      Wait(seconds,"The service asks to wait: "+Text(answer,"detail"));
     }
   else if(status!=422 && status!=429)
      Wait(SDS_RETRY_SECONDS,"Unexpected answer "+IntegerToString(status)+" from "+m_url+". Is InpApiUrl right?");
   return(status);
  }

//+------------------------------------------------------------------+
//| Value of a header, as it was sent; its name in small letters     |
//+------------------------------------------------------------------+
string CSignalDelivery::Header(const string headers,const string name)
  {
   string lower=headers;
   StringToLower(lower);
   int at=StringFind(lower,name+":");
   if(at<0)
      return("");
   int from=at+StringLen(name)+1;
   int end=StringFind(headers,"\r\n",from);
   string value=StringSubstr(headers,from,end<0 ? -1 : end-from);
   StringTrimLeft(value);
   StringTrimRight(value);
   return(value);
  }

//+------------------------------------------------------------------+
void CSignalDelivery::Wait(const int seconds,const string why)
  {
   m_quiet_until_ms=GetTickCount64()+(ulong)seconds*1000;
   if(m_problem!=why)
      Print(why);
   m_problem=why;
  }

//+------------------------------------------------------------------+
string CSignalDelivery::NetworkProblem(const int code) const
  {
   switch(code)
     {
      case 4014:
      case 4060:
         return(IntegerToString(code)+": the address is not allowed. Add "+m_url+" under Tools > Options > Expert Advisors.");
      case 5200:
         return("5200: the address is not valid: "+m_url);
      case 5201:
         return("5201: no connection to "+m_url);
      case 5202:
         return("5202: no answer in time from "+m_url);
      case 5203:
         return("5203: the exchange with "+m_url+" failed. TLS, proxy or firewall?");
     }
   return("WebRequest failed with code "+IntegerToString(code));
  }

//+------------------------------------------------------------------+
//| Value of a name in a flat JSON object, without its quotes        |
//+------------------------------------------------------------------+
string CSignalDelivery::Text(const string object,const string name)
  {
   string mark="\""+name+"\":";
   int from=StringFind(object,mark);
   if(from<0)
      return("");
   from+=StringLen(mark);
   if(StringGetCharacter(object,from)=='"')
     {
      int end=StringFind(object,"\"",from+1);
      return(end<0 ? "" : StringSubstr(object,from+1,end-from-1));
     }
   int end=from;
   while(end<StringLen(object))
     {
      ushort letter=StringGetCharacter(object,end);
      if(letter==',' || letter=='}' || letter==']')
         break;
      end++;
     }
   return(StringSubstr(object,from,end-from));
  }

//+------------------------------------------------------------------+
double CSignalDelivery::Number(const string object,const string name)
  {
   return(StringToDouble(Text(object,name)));
  }

//+------------------------------------------------------------------+
//| 2026-11-21T05:07:00Z                                             |
//+------------------------------------------------------------------+
string CSignalDelivery::Iso(const datetime utc)
  {
   MqlDateTime part;
   TimeToStruct(utc,part);
   return(StringFormat("%04d-%02d-%02dT%02d:%02d:%02dZ",part.year,part.mon,part.day,part.hour,part.min,part.sec));
  }

//+------------------------------------------------------------------+
//| Broker time to UTC, by today's offset in quarters of an hour     |
//+------------------------------------------------------------------+
datetime CSignalDelivery::ToUtc(const datetime server)
  {
   long offset=(long)MathRound((double)((long)TimeTradeServer()-(long)TimeGMT())/900.0)*900;
   return((datetime)((long)server-offset));
  }
//+------------------------------------------------------------------+
