//+------------------------------------------------------------------+
//| SignalTester.mqh                                                 |
//| In the Strategy Tester, gives an EA the decisions that a signal  |
//| delivery service made. MetaTrader 5 and 4.                       |
//|                                                                  |
//| The tester cannot send requests, so the decisions come from a    |
//| file. Download it from the service for each slot and put it into |
//| the terminal's folder Common\Files (File > Open Data Folder      |
//| opens a folder; Common is one level up). The column committed    |
//| says which decisions were committed in time and which were       |
//| entered later.                                                   |
//+------------------------------------------------------------------+
#ifndef SIGNAL_TESTER_MQH
#define SIGNAL_TESTER_MQH

#define SDT_COLUMNS "seq,symbol,timeframe,ts,decided_at,valid_until,signal,confidence,expected_rr,committed"

//+------------------------------------------------------------------+
//| Decisions from files, by the time at which each was made         |
//+------------------------------------------------------------------+
class CSignalTester
  {
private:
   SDSignal          m_rows[];
   //--- UTC: when the decision was made, and until when it is fresh
   datetime          m_decided[];
   datetime          m_valid[];
   string            m_clock;
   int               m_late;
   //--- per file (one slot): the first row that is not decided yet, and the range of its rows
   int               m_next[];
   int               m_begin[];
   int               m_end[];

   static datetime   Sunday(const int year,const int month,const int nth);
   static int        OffsetAt(const string clock,const datetime utc);

public:
                     CSignalTester(void): m_clock("utc"),m_late(0) {}
   bool              Load(const string files,const string clock,const bool with_late);
   int               Count(void) const { return(ArraySize(m_rows)); }
   int               Late(void) const { return(m_late); }
   bool              Next(int &at,SDSignal &signal);
   datetime          Utc(void) const;
   static bool       IsClock(const string clock);
  };

//+------------------------------------------------------------------+
//| Reads files, separated by commas. Skips decisions that were not  |
//| committed in time, unless they are requested                     |
//+------------------------------------------------------------------+
bool CSignalTester::Load(const string files,const string clock,const bool with_late)
  {
   m_clock=clock;
   m_late=0;
   ArrayResize(m_rows,0);
   ArrayResize(m_decided,0);
   ArrayResize(m_valid,0);
   ArrayResize(m_next,0);
   ArrayResize(m_begin,0);
   ArrayResize(m_end,0);
   string name[];
   int    names=StringSplit(files,',',name);
   for(int n=0; n<names; n++)
     {
      string file=name[n];
      StringTrimLeft(file);
      StringTrimRight(file);
      int handle=FileOpen(file,FILE_READ|FILE_TXT|FILE_ANSI|FILE_COMMON);
      if(handle==INVALID_HANDLE)
        {
         Print("InpTesterFiles: ",file," is not in Common\\Files.");
         return(false);
        }
      bool known=false;
      ArrayResize(m_next,n+1);
      ArrayResize(m_begin,n+1);
      ArrayResize(m_end,n+1);
      m_next[n]=ArraySize(m_rows);
      m_begin[n]=ArraySize(m_rows);
      while(!FileIsEnding(handle))
        {
         string line=FileReadString(handle);
         StringTrimRight(line);
         if(line==SDT_COLUMNS)
            known=true;
         string part[];
         if(!known || line==SDT_COLUMNS || StringSplit(line,',',part)!=10)
            continue;
         if(part[9]!="in_time")
           {
            m_late++;
            if(!with_late)
               continue;
           }
         int count=ArraySize(m_rows);
         ArrayResize(m_rows,count+1);
         ArrayResize(m_decided,count+1);
         ArrayResize(m_valid,count+1);
         m_rows[count].pred_id=StringToInteger(part[0]);
         m_rows[count].symbol=part[1];
         m_rows[count].timeframe=part[2];
         m_rows[count].ts=part[3];
         m_rows[count].direction=part[6];
         m_rows[count].confidence=StringToDouble(part[7]);
         m_rows[count].expected_rr=StringToDouble(part[8]);
         m_rows[count].stale=false;
         m_decided[count]=StringToTime(part[4]);
         m_valid[count]=StringToTime(part[5]);
        }
      FileClose(handle);
      m_end[n]=ArraySize(m_rows);
      if(!known)
        {
         Print("InpTesterFiles: ",file," is not a tester file of the service.");
         return(false);
        }
     }
   return(ArraySize(m_rows)>0);
  }

//+------------------------------------------------------------------+
//| Reads the newest decision of the file at a position and moves on |
//| to the next file. The tester's time never moves back             |
//+------------------------------------------------------------------+
bool CSignalTester::Next(int &at,SDSignal &signal)
  {
   datetime now=Utc();
   while(at<ArraySize(m_next))
     {
      int file=at;
      at++;
      while(m_next[file]<m_end[file] && m_decided[m_next[file]]<=now)
         m_next[file]++;
      int newest=m_next[file]-1;
      if(newest<m_begin[file] || m_valid[newest]<=now)
         continue;
      signal=m_rows[newest];
      return(true);
     }
   return(false);
  }

//+------------------------------------------------------------------+
//| UTC in the tester, which has only the server's time              |
//+------------------------------------------------------------------+
datetime CSignalTester::Utc(void) const
  {
   datetime server=TimeCurrent();
   datetime utc=(datetime)((long)server-OffsetAt(m_clock,server));
   //--- repeat with the offset of that time, for the hours around a clock change
   return((datetime)((long)server-OffsetAt(m_clock,utc)));
  }

//+------------------------------------------------------------------+
bool CSignalTester::IsClock(const string clock)
  {
   return(clock=="new_york" || clock=="europe" || clock=="utc" || StringFind(clock,"utc+")==0 || StringFind(clock,"utc-")==0);
  }

//+------------------------------------------------------------------+
//| Seconds by which a server's clock is ahead of UTC                |
//+------------------------------------------------------------------+
int CSignalTester::OffsetAt(const string clock,const datetime utc)
  {
   if(clock!="new_york" && clock!="europe")
      return((int)(StringToDouble(StringSubstr(clock,3))*3600.0));
   MqlDateTime part;
   TimeToStruct(utc,part);
   //--- two hours ahead, and three during New York's or Europe's summer time
   datetime begins=clock=="new_york" ? Sunday(part.year,3,2)+7*3600 : Sunday(part.year,4,0)+3600;
   datetime ends=clock=="new_york" ? Sunday(part.year,11,1)+6*3600 : Sunday(part.year,11,0)+3600;
   return(utc>=begins && utc<ends ? 10800 : 7200);
  }

//+------------------------------------------------------------------+
//| The nth Sunday of a month; 0: the last Sunday before it          |
//+------------------------------------------------------------------+
datetime CSignalTester::Sunday(const int year,const int month,const int nth)
  {
   datetime first=StringToTime(StringFormat("%04d.%02d.01 00:00",year,month));
   //--- 1970-01-01 was a Thursday
   int weekday=(int)(((long)first/86400+4)%7);
   return((datetime)((long)first+86400*((7-weekday)%7+7*(nth-1))));
  }
#endif
//+------------------------------------------------------------------+
