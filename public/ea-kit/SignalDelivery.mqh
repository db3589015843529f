//+------------------------------------------------------------------+
//| SignalDelivery.mqh                                               |
//| Reads signals from a signal delivery service and reports the     |
//| positions that were opened and closed. MetaTrader 5 and 4.       |
//|                                                                  |
//| Tests compile this file as C++ into a stand-in for the terminal  |
//| and run it against the service itself. They do not use           |
//| MetaEditor. If MetaEditor reports a problem, please send us the  |
//| build number with the message.                                   |
//|                                                                  |
//| Before first use open Tools > Options > Expert Advisors, tick    |
//| "Allow WebRequest for listed URL" and add the service's address. |
//+------------------------------------------------------------------+

#define SDS_TIMEOUT_MS      8000
#define SDS_RETRY_SECONDS   15
#define SDS_KEY_SECONDS     600
//--- WebRequest blocks its chart's thread until the answer arrives, and the terminal waits for that thread when the EA is
//--- removed. So no wait is longer than this, although the service allows 55 seconds
#define SDS_LONGEST_WAIT    25
#define SDS_NO_WAIT_SECONDS 600
//--- the service's reasons for signals that were not traded
#define SDS_REASONS " SPREAD CONFIDENCE OWN_POSITION DAILY_LOSS DRAWDOWN MOST_POSITIONS HOURS TOO_LATE PAUSE VOLUME NO_SYMBOL TERMINAL_ERROR "

#ifdef __MQL4__
//+------------------------------------------------------------------+
//| Milliseconds since the start. MetaTrader 4 counts only 32 bits   |
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
//| Time of the server. MetaTrader 4 has only the time of the last   |
//| quote, so the offset from UTC is computed from fresh quotes and  |
//| stored for weekends                                              |
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

//--- one reported position, open or closed
struct SDExecution
  {
   ulong             ticket;
   long              pred_id;        // 0: none
   string            symbol;
   string            timeframe;
   string            direction;
   double            confidence;     // set if pred_id is
   datetime          opened_utc;
   double            entry_price;
   datetime          closed_utc;     // 0: still open
   double            exit_price;
   double            pnl;
   string            result;         // TP, SL, TIMEOUT, MANUAL, STOPOUT, OTHER
   double            volume;         // lots, 0: not reported
   double            commission;     // including fees; part of pnl
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
   ulong             m_quiet_until_ms; // tick count, independent of clock changes
   string            m_problem;
   string            m_scan;           // the newest list of signals
   string            m_tag;            // ETag of that list
   ulong             m_no_wait_until_ms;
   ulong             m_next_look_ms;
   string            m_paused;         // pauses in the newest answer
   string            m_paused_slots;   // slots in the newest answer that the operator has paused
   string            m_terminal;       // header that identifies this terminal

   static string     TerminalHeader(void);
   bool              Look(const int wait_seconds,const int poll_seconds);
   int               Request(const string method,const string path,const string body,string &answer,
                             string &received_headers,const string tag,const int wait_seconds);
   static string     Header(const string headers,const string name);
   void              Wait(const int seconds,const string why);
   string            NetworkProblem(const int code) const;

public:
                     CSignalDelivery(void): m_quiet_until_ms(0),m_problem(""),m_no_wait_until_ms(0),m_next_look_ms(0) {}
   void              Init(const string url,const string key);
   //--- the current problem; empty if there is none
   string            Problem(void) const { return(m_problem); }
   bool              Ready(void) const { return(GetTickCount64()>=m_quiet_until_ms); }
   bool              Find(const string symbol,const string timeframe,SDSignal &signal,
                          const int wait_seconds=0,const int poll_seconds=0);
   //--- for all slots: update the list, then read its signals from position 0 on
   bool              Update(const int wait_seconds,const int poll_seconds);
   bool              Next(int &at,SDSignal &signal) const;
   //--- start of the slot's pause in the portal; empty if it is not paused
   string            PausedSince(const string symbol,const string timeframe) const;
   //--- whether the operator has paused the slot: it then has no signal
   bool              PausedByOperator(const string symbol,const string timeframe) const;
   bool              Report(const SDExecution &execution);
   bool              NotTraded(const long pred_id,const string reason,const int error_code=0);

   static string     Text(const string object,const string name);
   static double     Number(const string object,const string name);
   static string     Iso(const datetime utc);
   static datetime   ToUtc(const datetime server);
   static string     Body(const SDExecution &execution);
  };

//+------------------------------------------------------------------+
//| Removes trailing slashes from the address and spaces around the  |
//| key. A new address or key is used at once                        |
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
   m_paused="";
   m_paused_slots="";
   m_terminal="";
   StringTrimLeft(m_url);
   StringTrimRight(m_url);
   StringTrimLeft(m_key);
   StringTrimRight(m_key);
   while(StringLen(m_url)>0 && StringGetCharacter(m_url,StringLen(m_url)-1)=='/')
      m_url=StringSubstr(m_url,0,StringLen(m_url)-1);
  }

//+------------------------------------------------------------------+
//| Updates the list of signals. With wait_seconds it uses long      |
//| polling: the service answers when the list changes, or after     |
//| that time, and a signal arrives within a second. Call it from a  |
//| timer, not from OnTick, because it blocks while it waits         |
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
      //--- other charts use all long polls of this key, so this chart polls
      m_no_wait_until_ms=GetTickCount64()+(ulong)SDS_NO_WAIT_SECONDS*1000;
      wait=0;
     }
   if(wait==0)
      status=Request("GET",path,"",answer,headers,"",0);
   if(status!=200 && status!=304)
      return(false);
   m_paused=Header(headers,"x-signals-paused");
   m_paused_slots=Header(headers,"paused-slots");
   if(status==304)
      return(true);
   m_scan=answer;
   m_tag=Header(headers,"etag");
   //--- a service without long polling answers at once, so pause to avoid an endless loop
   if(wait>0 && Header(headers,"signal-seq")=="")
     {
      m_no_wait_until_ms=GetTickCount64()+(ulong)SDS_NO_WAIT_SECONDS*1000;
      wait=0;
     }
   m_next_look_ms=wait>0 ? 0 : GetTickCount64()+(ulong)poll_seconds*1000;
   return(true);
  }

//+------------------------------------------------------------------+
//| The newest signal of a slot. False if there is none              |
//+------------------------------------------------------------------+
bool CSignalDelivery::Find(const string symbol,const string timeframe,SDSignal &signal,
                           const int wait_seconds,const int poll_seconds)
  {
   if(!Update(wait_seconds,poll_seconds))
      return(false);
   int at=0;
   while(Next(at,signal))
      if(signal.symbol==symbol && signal.timeframe==timeframe)
         return(true);
   return(false);
  }

//+------------------------------------------------------------------+
//| Updates the list. False if no list is available                  |
//+------------------------------------------------------------------+
bool CSignalDelivery::Update(const int wait_seconds,const int poll_seconds)
  {
   if(!Look(wait_seconds,poll_seconds))
      return(false);
   if(StringFind(m_scan,"\"items\":[")>=0)
      return(true);
   m_scan="";
   m_tag="";
   Wait(SDS_RETRY_SECONDS,"The server at "+m_url+" is not the service. Is InpApiUrl right?");
   return(false);
  }

//+------------------------------------------------------------------+
//| Reads the signal at a position of the list and moves the         |
//| position to the next one                                         |
//+------------------------------------------------------------------+
bool CSignalDelivery::Next(int &at,SDSignal &signal) const
  {
   int from=StringFind(m_scan,"{",at==0 ? StringFind(m_scan,"\"items\":[") : at);
   int to=from<0 ? -1 : StringFind(m_scan,"}",from);
   if(to<0)
      return(false);
   string item=StringSubstr(m_scan,from,to-from+1);
   signal.pred_id=StringToInteger(Text(item,"pred_id"));
   signal.symbol=Text(item,"symbol");
   signal.timeframe=Text(item,"timeframe");
   signal.direction=Text(item,"signal");
   signal.confidence=Number(item,"confidence");
   signal.expected_rr=Number(item,"expected_rr");
   signal.ts=Text(item,"ts");
   signal.stale=Text(item,"stale")!="false";
   at=to+1;
   return(true);
  }

//+------------------------------------------------------------------+
//| Parses all;since=2026-11-20T10:31:07Z, or a list of              |
//| EURUSD/H1;since=...                                              |
//+------------------------------------------------------------------+
string CSignalDelivery::PausedSince(const string symbol,const string timeframe) const
  {
   string part[];
   int    count=StringSplit(m_paused,',',part);
   for(int i=0; i<count; i++)
     {
      string what=part[i];
      StringTrimLeft(what);
      StringTrimRight(what);
      int    at=StringFind(what,";since=");
      string target=at<0 ? what : StringSubstr(what,0,at);
      if(target=="all" || target==symbol+"/"+timeframe)
         return(at<0 ? "now" : StringSubstr(what,at+7));
     }
   return("");
  }

//+------------------------------------------------------------------+
//| Parses a list such as EURUSD/H1, XAUUSD/H4                       |
//+------------------------------------------------------------------+
bool CSignalDelivery::PausedByOperator(const string symbol,const string timeframe) const
  {
   return(StringFind(", "+m_paused_slots+",",", "+symbol+"/"+timeframe+",")>=0);
  }

//+------------------------------------------------------------------+
//| Reports why a signal was not traded. Returns true for a new      |
//| reason, so that the caller prints it once. A global variable of  |
//| the terminal stores the reported reason                          |
//+------------------------------------------------------------------+
bool CSignalDelivery::NotTraded(const long pred_id,const string reason,const int error_code)
  {
   if(pred_id<=0)
      return(false);
   string name="SDS.told."+IntegerToString(pred_id);
   double told=StringFind(SDS_REASONS," "+reason+" ")+1000.0*error_code;
   //--- TOO_LATE counts only if no other reason was reported
   if(GlobalVariableCheck(name) && (reason=="TOO_LATE" || GlobalVariableGet(name)==told))
      return(false);
   string body=StringFormat("{\"pred_id\":%I64d,\"reason\":\"%s\"",pred_id,reason);
   if(error_code!=0)
      body+=",\"error_code\":"+IntegerToString(error_code);
   string answer,headers;
   int    status=Request("POST","/api/executions/not-traded",body+"}",answer,headers,"",0);
   if(status!=201 && status!=422)
      return(false);
   GlobalVariableSet(name,told);
   return(true);
  }

//+------------------------------------------------------------------+
//| Header with a hash of the account's number and server, the       |
//| server and the kind of account. The portal distinguishes the     |
//| terminals of a key by it                                         |
//+------------------------------------------------------------------+
string CSignalDelivery::TerminalHeader(void)
  {
   long   login=(long)AccountInfoInteger(ACCOUNT_LOGIN);
   string server=AccountInfoString(ACCOUNT_SERVER);
   if(login==0)
      return("");
   string name=IntegerToString(login)+"@"+server;
   uchar  data[],key[],hash[];
   int    copied=StringToCharArray(name,data,0,StringLen(name),CP_UTF8);
   if(copied>0 && data[copied-1]==0)
      copied--;
   ArrayResize(data,copied);
   if(CryptEncode(CRYPT_HASH_SHA256,data,key,hash)<8)
      return("");
   string header="X-Terminal: ";
   for(int i=0; i<8; i++)
      header+=StringFormat("%02x",hash[i]);
   bool plain=StringLen(server)>0 && StringLen(server)<=64;
   for(int i=0; i<StringLen(server); i++)
     {
      ushort letter=StringGetCharacter(server,i);
      plain=plain && letter>=32 && letter<127 && letter!='"';
     }
   if(plain)
      header+="; server=\""+server+"\"";
   long mode=(long)AccountInfoInteger(ACCOUNT_TRADE_MODE);
   header+=mode==ACCOUNT_TRADE_MODE_DEMO ? "; account=demo" : mode==ACCOUNT_TRADE_MODE_REAL ? "; account=real" : "; account=contest";
   return(header+"\r\n");
  }

//+------------------------------------------------------------------+
//| Reports a position. Safe to repeat, because the ticket           |
//| identifies it                                                    |
//+------------------------------------------------------------------+
bool CSignalDelivery::Report(const SDExecution &execution)
  {
   string answer,headers;
   int status=Request("POST","/api/executions",Body(execution),answer,headers,"",0);
   if(status==422)
     {
      //--- the answer names the invalid field; repeating the same body would not help
      Print("Report of ticket ",execution.ticket," refused: ",Text(answer,"detail"));
      return(true);
     }
   return(status==201);
  }

//+------------------------------------------------------------------+
//| The report as JSON, in plain ASCII, with times in UTC            |
//+------------------------------------------------------------------+
string CSignalDelivery::Body(const SDExecution &execution)
  {
   string body=StringFormat("{\"ticket\":\"%I64u\",\"symbol\":\"%s\",\"timeframe\":\"%s\",\"signal\":\"%s\",\"opened_at\":\"%s\",\"entry_price\":%.8f",
                            execution.ticket,execution.symbol,execution.timeframe,execution.direction,
                            Iso(execution.opened_utc),execution.entry_price);
   //--- the followed signal is unknown if the broker has changed the comment
   if(execution.pred_id>0)
      body+=StringFormat(",\"pred_id\":%I64d,\"confidence\":%.6f",execution.pred_id,execution.confidence);
   if(execution.closed_utc>0)
      body+=StringFormat(",\"closed_at\":\"%s\",\"exit_price\":%.8f,\"pnl\":%.2f,\"result\":\"%s\"",
                         Iso(execution.closed_utc),execution.exit_price,execution.pnl,execution.result);
   //--- optional fields: the service adds them up and distinguishes accounts by them
   if(execution.volume>0.0)
      body+=StringFormat(",\"volume\":%.8f,\"currency\":\"%s\",\"magic\":\"%I64d\"",
                         execution.volume,AccountInfoString(ACCOUNT_CURRENCY),execution.magic);
   if(execution.volume>0.0 && execution.closed_utc>0)
      body+=StringFormat(",\"commission\":%.2f,\"swap\":%.2f",execution.commission,execution.swap);
   return(body+"}");
  }

//+------------------------------------------------------------------+
//| One HTTP request. Returns the status, or -1 without an answer    |
//+------------------------------------------------------------------+
int CSignalDelivery::Request(const string method,const string path,const string body,string &answer,
                             string &received_headers,const string tag,const int wait_seconds)
  {
   if(!Ready())
      return(-1);
   char   sent[],received[];
   string headers="X-API-Key: "+m_key+"\r\nContent-Type: application/json\r\n";
   if(m_terminal=="")
      m_terminal=TerminalHeader();
   headers+=m_terminal;
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
//| Value of a header as it was sent. Pass the name in lower case    |
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
         return("5203: the request to "+m_url+" failed. Check TLS, proxy and firewall.");
     }
   return("WebRequest failed with code "+IntegerToString(code));
  }

//+------------------------------------------------------------------+
//| Value of a name in a flat JSON object, without quotes            |
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
//| A time in the format 2026-11-21T05:07:00Z                        |
//+------------------------------------------------------------------+
string CSignalDelivery::Iso(const datetime utc)
  {
   MqlDateTime part;
   TimeToStruct(utc,part);
   return(StringFormat("%04d-%02d-%02dT%02d:%02d:%02dZ",part.year,part.mon,part.day,part.hour,part.min,part.sec));
  }

//+------------------------------------------------------------------+
//| Converts broker time to UTC with today's offset, rounded to a    |
//| quarter of an hour                                               |
//+------------------------------------------------------------------+
datetime CSignalDelivery::ToUtc(const datetime server)
  {
   long offset=(long)MathRound((double)((long)TimeTradeServer()-(long)TimeGMT())/900.0)*900;
   return((datetime)((long)server-offset));
  }
//+------------------------------------------------------------------+
