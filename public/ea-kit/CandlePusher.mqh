//+------------------------------------------------------------------+
//| CandlePusher.mqh                                                 |
//| Sends the closed bars of charts to a signal delivery service.    |
//| One source for MetaTrader 4 and 5: CandlePusher.mq4 and .mq5     |
//| include it, so put it in their folder. It does not trade.        |
//|                                                                  |
//| Attach it to one chart of any symbol. After every stop it        |
//| continues where it stopped, because the service returns the      |
//| newest bar that it has. A bar that is sent twice changes         |
//| nothing.                                                         |
//|                                                                  |
//| Tests compile this file as C++ into a stand-in for the terminal  |
//| and run it against the service itself. They do not use           |
//| MetaEditor. If MetaEditor reports a problem, please send us the  |
//| build number with the message.                                   |
//|                                                                  |
//| Before first use open Tools > Options > Expert Advisors, tick    |
//| "Allow WebRequest for listed URL" and add the service's address. |
//+------------------------------------------------------------------+

//--- the terminal shows these comments instead of the names
input string InpApiUrl      = "";         // InpApiUrl: address of the service
input string InpFeedToken   = "";         // InpFeedToken: token from the administrator's area, page Feeds
input string InpServerClock = "new_york"; // InpServerClock: clock of the broker's server: new_york, europe, utc, utc+2
input string InpSymbols     = "";         // InpSymbols: symbols, separated by commas (empty: the chart's)
input string InpTimeframes  = "";         // InpTimeframes: timeframes, separated by commas, such as H1,M5 (empty: the chart's)
input string InpAlso        = "";         // InpAlso: longer timeframes to build from the first, such as H4,D1
input int    InpHistory     = 5000;       // InpHistory: past bars to send at the first start

#define CP_TIMEOUT_MS    8000
#define CP_RETRY_SECONDS 15
#define CP_TOKEN_SECONDS 600
#define CP_BARS          300
#define CP_MAX_SLOTS     64

//--- one symbol and timeframe, and the newest bar that the service has
struct SlotState
  {
   string            symbol;
   ENUM_TIMEFRAMES   period;
   string            timeframe;
   bool              known;          // the service has returned its newest bar
   datetime          position;       // open time of the service's newest bar; 0: none
   uint              quiet_since;    // tick count, independent of clock changes
   uint              quiet_ms;
  };

SlotState Slots[CP_MAX_SLOTS];
int       SlotCount;
string    Url;
string    Problem;
//--- number of bars sent since the start
long      Sent;

//+------------------------------------------------------------------+
int OnInit(void)
  {
   if(InpApiUrl=="" || InpFeedToken=="")
     {
      Alert("Fill in InpApiUrl and InpFeedToken.");
      return(INIT_PARAMETERS_INCORRECT);
     }
   Url=InpApiUrl;
   StringTrimRight(Url);
   StringTrimLeft(Url);
   while(StringLen(Url)>0 && StringGetCharacter(Url,StringLen(Url)-1)=='/')
      Url=StringSubstr(Url,0,StringLen(Url)-1);
   Problem="";
   Sent=0;
   SlotCount=0;
   string symbols[];
   string timeframes[];
   int    symbol_count=StringSplit(InpSymbols=="" ? _Symbol : InpSymbols,',',symbols);
   string own=StringSubstr(EnumToString((ENUM_TIMEFRAMES)_Period),7);
   int    timeframe_count=StringSplit(InpTimeframes=="" ? own : InpTimeframes,',',timeframes);
   for(int i=0; i<symbol_count; i++)
      for(int j=0; j<timeframe_count; j++)
        {
         string symbol=symbols[i];
         string timeframe=timeframes[j];
         StringTrimLeft(symbol);
         StringTrimRight(symbol);
         StringTrimLeft(timeframe);
         StringTrimRight(timeframe);
         StringToUpper(timeframe);
         ENUM_TIMEFRAMES period=PeriodOf(timeframe);
         if(period==PERIOD_CURRENT)
           {
            Alert("InpTimeframes: this terminal has no ",timeframe);
            return(INIT_PARAMETERS_INCORRECT);
           }
         if(!SymbolSelect(symbol,true))
           {
            Alert("InpSymbols: this broker has no ",symbol);
            return(INIT_PARAMETERS_INCORRECT);
           }
         if(SlotCount==CP_MAX_SLOTS)
           {
            Alert("At most 64 symbols and timeframes together.");
            return(INIT_PARAMETERS_INCORRECT);
           }
         Slots[SlotCount].symbol=symbol;
         Slots[SlotCount].period=period;
         Slots[SlotCount].timeframe=timeframe;
         Slots[SlotCount].known=false;
         Slots[SlotCount].position=0;
         Slots[SlotCount].quiet_since=0;
         Slots[SlotCount].quiet_ms=0;
         SlotCount++;
        }
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
   for(int i=0; i<SlotCount; i++)
      Push(i);
   Comment("CandlePusher: ",IntegerToString(SlotCount)," charts, ",IntegerToString(Sent)," bars sent",
           Problem=="" ? "" : "\n"+Problem);
  }

//+------------------------------------------------------------------+
//| Sends the closed bars that the service does not have, oldest     |
//| first, at most one request a second. Index 0, the open bar, is   |
//| not sent                                                         |
//+------------------------------------------------------------------+
void Push(const int slot)
  {
   if(GetTickCount()-Slots[slot].quiet_since<Slots[slot].quiet_ms)
      return;
   Slots[slot].quiet_ms=0;
   MqlRates bars[];
   if(!Slots[slot].known)
     {
      Send(slot,bars,0);
      return;
     }
   int unsent=Unsent(slot);
   if(unsent<=0)
      return;
   int count=MathMin(CP_BARS,unsent);
   int copied=CopyRates(Slots[slot].symbol,Slots[slot].period,unsent-count+1,count,bars);
   if(copied<=0)
     {
      //--- the terminal loads the history on request, so a later check finds it
      Quiet(slot,CP_RETRY_SECONDS);
      return;
     }
   Send(slot,bars,copied);
  }

//+------------------------------------------------------------------+
//| Number of closed bars that are newer than the service's newest   |
//| bar                                                              |
//+------------------------------------------------------------------+
int Unsent(const int slot)
  {
   int there=MathMin(InpHistory,iBars(Slots[slot].symbol,Slots[slot].period)-1);
   if(Slots[slot].position==0)
      return(there);
   //--- index of the bar at that time, or of the one before it; newer closed bars begin at index 1
   int shift=iBarShift(Slots[slot].symbol,Slots[slot].period,Slots[slot].position);
   return(shift<0 ? there : shift-1);
  }

//+------------------------------------------------------------------+
//| Sends one request. Without bars it asks for the slot's newest    |
//| bar                                                              |
//+------------------------------------------------------------------+
void Send(const int slot,const MqlRates &bars[],const int count)
  {
   string body="{\"symbol\":\""+Slots[slot].symbol+"\",\"timeframe\":\""+Slots[slot].timeframe+
               "\",\"clock\":\""+InpServerClock+"\",\"server_time\":"+IntegerToString((long)TimeCurrent())+
               ",\"bars\":[";
   for(int i=0; i<count; i++)
     {
      if(i>0)
         body+=",";
      body+="["+IntegerToString((long)bars[i].time)+","+Price(bars[i].open)+","+Price(bars[i].high)+
            ","+Price(bars[i].low)+","+Price(bars[i].close)+","+IntegerToString((long)bars[i].tick_volume)+"]";
     }
   body+="]"+Also(slot)+"}";
   string answer="";
   string headers="";
   int    status=Request(body,answer,headers);
   if(status==200)
     {
      datetime before=Slots[slot].position;
      Slots[slot].position=(datetime)StringToInteger(Value(answer,"last_server_time"));
      bool moved=!Slots[slot].known || Slots[slot].position>before;
      Slots[slot].known=true;
      Sent+=StringToInteger(Value(answer,"accepted"));
      Say("");
      if(!moved)
        {
         //--- the newest bar is not closed yet by the service's clock, or the service refused the bars
         if(Value(answer,"refused")!="0")
            Say(Slots[slot].symbol+" "+Slots[slot].timeframe+": "+Value(answer,"reason"));
         Quiet(slot,Value(answer,"refused")=="0" ? 2 : CP_TOKEN_SECONDS);
        }
      return;
     }
   if(status==-1)
     {
      Quiet(slot,CP_RETRY_SECONDS);
      return;
     }
   Say(IntegerToString(status)+": "+Value(answer,"detail"));
   int seconds=status==401 ? CP_TOKEN_SECONDS : CP_RETRY_SECONDS;
   if(status==429 || status>=500)
     {
      int after=(int)StringToInteger(Header(headers,"retry-after"));
      if(after>0)
         seconds=after;
     }
   else if(status==422)
      seconds=60;
   Quiet(slot,seconds);
  }

//+------------------------------------------------------------------+
//| The longer timeframes to build from the first one that is sent   |
//+------------------------------------------------------------------+
string Also(const int slot)
  {
   if(InpAlso=="" || Slots[slot].period!=Slots[0].period)
      return("");
   string parts[];
   int    count=StringSplit(InpAlso,',',parts);
   string list="";
   for(int i=0; i<count; i++)
     {
      string part=parts[i];
      StringTrimLeft(part);
      StringTrimRight(part);
      list+=(i>0 ? ",\"" : "\"")+part+"\"";
     }
   return(",\"also\":["+list+"]");
  }

//+------------------------------------------------------------------+
//| One HTTP request. Returns the status, or -1 without an answer    |
//+------------------------------------------------------------------+
int Request(const string body,string &answer,string &received_headers)
  {
   char   sent[];
   char   received[];
   string headers="X-Feed-Token: "+InpFeedToken+"\r\nContent-Type: application/json\r\n";
   //--- the explicit length keeps the terminating zero out of the body
   int copied=StringToCharArray(body,sent,0,StringLen(body),CP_UTF8);
   if(copied>0 && sent[copied-1]==0)
      copied--;
   ArrayResize(sent,copied);
   ResetLastError();
   int status=WebRequest("POST",Url+"/api/feed/bars",headers,CP_TIMEOUT_MS,sent,received,received_headers);
   if(status==-1)
     {
      int code=GetLastError();
      if(code==4014 || code==4060)
         Say(IntegerToString(code)+": the address is not allowed. Add "+Url+" under Tools > Options > Expert Advisors.");
      else
         Say(IntegerToString(code)+": no answer from "+Url);
      return(-1);
     }
   answer=CharArrayToString(received,0,WHOLE_ARRAY,CP_UTF8);
   return(status);
  }

//+------------------------------------------------------------------+
void Quiet(const int slot,const int seconds)
  {
   Slots[slot].quiet_since=GetTickCount();
   Slots[slot].quiet_ms=(uint)seconds*1000;
  }

//+------------------------------------------------------------------+
//| Stores the current problem, and prints it when it changes        |
//+------------------------------------------------------------------+
void Say(const string what)
  {
   if(what!="" && what!=Problem)
      Print(what);
   Problem=what;
  }

//+------------------------------------------------------------------+
//| A price with all its digits and no trailing zeros                |
//+------------------------------------------------------------------+
string Price(const double value)
  {
   return(DoubleToString(value,8));
  }

//+------------------------------------------------------------------+
//| Value of a name in a flat JSON object, without quotes            |
//+------------------------------------------------------------------+
string Value(const string object,const string name)
  {
   string mark="\""+name+"\":";
   int    from=StringFind(object,mark);
   if(from<0)
      return("");
   from+=StringLen(mark);
   if(StringGetCharacter(object,from)=='"')
     {
      int end=StringFind(object,"\"",from+1);
      return(end<0 ? "" : StringSubstr(object,from+1,end-from-1));
     }
   int end=from;
   while(end<StringLen(object) && StringGetCharacter(object,end)!=',' && StringGetCharacter(object,end)!='}')
      end++;
   return(StringSubstr(object,from,end-from));
  }

//+------------------------------------------------------------------+
//| Value of a header as it was sent. Pass the name in lower case    |
//+------------------------------------------------------------------+
string Header(const string headers,const string name)
  {
   string lower=headers;
   StringToLower(lower);
   int at=StringFind(lower,name+":");
   if(at<0)
      return("");
   int from=at+StringLen(name)+1;
   int end=StringFind(headers,"\r\n",from);
   return(StringSubstr(headers,from,end<0 ? -1 : end-from));
  }

//+------------------------------------------------------------------+
//| The timeframes of both terminals; PERIOD_CURRENT if unknown      |
//+------------------------------------------------------------------+
ENUM_TIMEFRAMES PeriodOf(const string timeframe)
  {
   if(timeframe=="M1")
      return(PERIOD_M1);
   if(timeframe=="M5")
      return(PERIOD_M5);
   if(timeframe=="M15")
      return(PERIOD_M15);
   if(timeframe=="M30")
      return(PERIOD_M30);
   if(timeframe=="H1")
      return(PERIOD_H1);
   if(timeframe=="H4")
      return(PERIOD_H4);
   if(timeframe=="D1")
      return(PERIOD_D1);
   if(timeframe=="W1")
      return(PERIOD_W1);
   if(timeframe=="MN1")
      return(PERIOD_MN1);
   return((ENUM_TIMEFRAMES)_Period==PERIOD_CURRENT || StringSubstr(EnumToString((ENUM_TIMEFRAMES)_Period),7)!=timeframe ?
          PERIOD_CURRENT : (ENUM_TIMEFRAMES)_Period);
  }
//+------------------------------------------------------------------+
