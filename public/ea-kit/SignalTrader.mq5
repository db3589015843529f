//+------------------------------------------------------------------+
//| SignalTrader.mq5                                                 |
//| Follows the signals of every slot of a plan from one chart.      |
//| MetaTrader 5. The code is in SignalTrader.mqh, in this folder.   |
//| Attach the EA to one chart of any symbol.                        |
//+------------------------------------------------------------------+
#property version "1.00"
#property strict

#include "SignalTrader.mqh"
