//+------------------------------------------------------------------+
//| CandlePusher.mq5                                                 |
//| Sends the closed bars of charts to a signal delivery service.    |
//| MetaTrader 5. The code is in CandlePusher.mqh, in this folder.   |
//| Attach the EA to one chart of any symbol.                        |
//+------------------------------------------------------------------+
#property version "1.00"
#property strict

#include "CandlePusher.mqh"
